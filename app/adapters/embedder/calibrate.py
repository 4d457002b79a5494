"""
What the inputs of the dense layers and the outputs look like, seen on a page of ordinary text.

Imports onnx, so never import this to serve.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from importlib.resources import files

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, inliner
from tokenizers import Encoding

from app.adapters.embedder.graph import Ranges
from app.adapters.embedder.telling import Telling
from app.ranking import Floats

_WEIGHT = "_weight"


def page() -> Sequence[str]:
    """
    Texts to look at.

    They are short and of many kinds: what counts is which channels are large, and that is much the
    same in every text.
    """
    return files(__package__).joinpath("calibration.txt").read_text("utf-8").splitlines()


def calibrate(exact: ModelProto, texts: Iterable[Encoding]) -> Ranges:
    """
    The largest absolute value of each input channel of each dense layer of `exact`, by its name.

    `exact` is a graph of `build_graph` in fp32, `texts` is what it is to read.
    """
    seen = inliner.inline_local_functions(exact)
    inputs = _dense_inputs(seen)
    session, wanted = _watched(seen, sorted(set(inputs.values())))
    peaks: dict[str, Floats] = dict.fromkeys(inputs.values(), np.zeros(1, dtype=np.float32))
    for text in texts:
        values = session.run(list(peaks), _read(text, wanted))
        for name, value in zip(peaks, values, strict=True):
            peaks[name] = np.maximum(peaks[name], np.abs(value).max(axis=(0, 1)))
    return {layer: peaks[name] for layer, name in inputs.items()}


def main_directions(
    exact: ModelProto, texts: Iterable[Encoding], telling: Telling, *, most: int
) -> Floats:
    """
    Those in which the vectors of word pieces differ most, shape (dimension, at most `most`).

    They are the principal components, uncentred, of the unit vectors of those that say something,
    as `exact`, a graph of `build_graph` with the head EMBEDDING in fp32, reads them in `texts`; the
    largest part of each is above zero, so that they are the same wherever a model is compiled.
    """
    session, wanted = _watched(inliner.inline_local_functions(exact), ["hidden"])
    rows = [session.run(["hidden"], _read(each, wanted))[0][0][telling[each.ids]] for each in texts]
    vectors = np.concatenate(rows).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    _, ascending = np.linalg.eigh(vectors.T @ vectors)
    directions = ascending[:, ::-1][:, :most]
    largest = directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])]
    return np.asarray(directions * np.sign(largest), dtype=np.float32)


def _watched(
    seen: ModelProto, values: Iterable[str]
) -> tuple[onnxruntime.InferenceSession, AbstractSet[str]]:
    """A graph without functions that tells these values as well, and what it is given."""
    for name in values:
        seen.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    session = onnxruntime.InferenceSession(seen.SerializeToString(), _options())
    return session, {each.name for each in session.get_inputs()}


def _read(text: Encoding, wanted: AbstractSet[str]) -> dict[str, NDArray[np.int64]]:
    columns = {
        "input_ids": text.ids,
        "attention_mask": text.attention_mask,
        "token_type_ids": text.type_ids,
    }
    return {name: np.array([columns[name]], dtype=np.int64) for name in wanted}


def _dense_inputs(model: ModelProto) -> Mapping[str, str]:
    """For each dense layer, by the name of its weight without the suffix, what goes in."""
    weights = {each.name for each in model.graph.initializer if each.name.endswith(_WEIGHT)}
    return {
        node.input[1].removesuffix(_WEIGHT): node.input[0]
        for node in model.graph.node
        if node.op_type == "MatMul" and node.input[1] in weights
    }


def _options() -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # Fusing would take away the values that are looked at.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return options
