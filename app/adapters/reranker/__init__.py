"""
Query and text, read together, to a score: a cross-encoder compiled once and run in process.

Importing this imports neither torch nor onnx nor sentence_transformers; only the process that
compiles a model does.
"""

from app.adapters.reranker.onnx_reranker import OnnxReranker, compile_reranker

__all__ = ["OnnxReranker", "compile_reranker"]
