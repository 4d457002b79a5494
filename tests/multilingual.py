"""Tiny models of the families that multilingual ones are of; transformers makes them."""

from importlib import import_module
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

TEXTS = [
    "Where is the server?",
    "¿Dónde está el servidor?",
    "Où est le serveur ?",
    "Где находится сервер?",
    "サーバーはどこですか。",
    "서버는 어디에 있습니까?",
    "أين الخادم؟",
    "服务器在哪里。",
    "no",
    "",
]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


def a_multilingual_folder(
    folder: Path, family: str, *, prompts: dict[str, str] | None = None, reads: int = 40
) -> Path:
    """
    A sentence-transformers folder: mean pooling over a `bert` or `xlm-roberta` of 32 dimensions.

    It reads `reads` word pieces of a text, fewer than it has positions for.
    """
    import torch  # noqa: PLC0415  (optional, slow)
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    from sentence_transformers.sentence_transformer.modules import (  # noqa: PLC0415
        Pooling,
        Transformer,
    )

    transformers: Any = import_module("transformers")
    torch.manual_seed(11)
    tokenizer = _unigram()
    config = transformers.AutoConfig.for_model(
        family,
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=66,
        pad_token_id=1 if family == "xlm-roberta" else 0,
        initializer_range=0.5,
    )
    plain = folder.with_name(f"{folder.name}-plain")
    transformers.AutoModel.from_config(config).save_pretrained(plain)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        **{f"{name}_token": token for name, token in _named().items()},
        model_max_length=64,
    ).save_pretrained(plain)
    reader: Any = Transformer(str(plain))
    reader.max_seq_length = reads
    modules = [reader, Pooling(32, "mean")]
    SentenceTransformer(modules=modules, prompts=prompts).save_pretrained(str(folder))
    return folder


def _named() -> dict[str, str]:
    bos, pad, eos, unk, mask = SPECIAL
    return {"bos": bos, "cls": bos, "pad": pad, "eos": eos, "sep": eos, "unk": unk, "mask": mask}


def _unigram() -> Tokenizer:
    """As SentencePiece writes it for XLM-RoBERTa."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=SPECIAL, unk_token="<unk>", show_progress=False
    )
    tokenizer.train_from_iterator([*TEXTS, "query: ", "passage: "], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer
