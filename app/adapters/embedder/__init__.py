"""
Text to vectors: a model compiled once and run in process, or one behind HTTP.

Importing this imports neither torch nor onnx nor sentence_transformers; only the process that
compiles a model does.
"""

from app.adapters.embedder.compile import DEFAULT_MODEL, CompiledModel, ModelSpec, compile_model
from app.adapters.embedder.http import HttpEmbedder, OllamaEmbedder, OpenAIEmbedder, Retries
from app.adapters.embedder.onnx_embedder import OnnxEmbedder

__all__ = [
    "DEFAULT_MODEL",
    "CompiledModel",
    "HttpEmbedder",
    "ModelSpec",
    "OllamaEmbedder",
    "OnnxEmbedder",
    "OpenAIEmbedder",
    "Retries",
    "compile_model",
]
