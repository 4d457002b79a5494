"""
A BERT encoder as one ONNX graph: word pieces in, unit vectors out, or what another head makes. No
torch.

In int8, weights and activations of every dense layer are whole numbers. The usual dynamic
quantisation has one step for a whole batch, which makes a vector depend on its neighbours (cosine
0.983 to itself, measured). Here each channel has a step that was fixed when the model was compiled,
so a vector is the same in every batch, and nothing is measured while embedding. Channels that are
large by nature are half as large, in logarithms, once whole, and their weights bear the rest.
Weights keep 7 bits, so that no processor's 16-bit sums overflow and all compute the same.

Source of the last idea: Xiao et al.: "SmoothQuant", 2023.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, numpy_helper, parser

from app.ranking import Floats

Precision = Literal["int8", "fp32"]
Weights = Mapping[str, Floats]
Ranges = Mapping[str, Floats]
"""The largest absolute value of each input channel of each dense layer ("ask_0")."""
Initializers = Iterator[tuple[str, NDArray[np.generic]]]
"""Constants of a graph, by name."""

_WEIGHT_PEAK = 63
"""The largest whole number of a weight: 255 * 63 twice stays below 2 ** 15."""

_DENSE = {
    "ask": ["attention.self.query", "attention.self.key", "attention.self.value"],
    "mix": ["attention.output.dense"],
    "widen": ["intermediate.dense"],
    "narrow": ["output.dense"],
}
"""Those that share their input are one, side by side: it is made whole once, multiplied once."""

_NORMS = {"mixed": "attention.output.LayerNorm", "done": "output.LayerNorm"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """What of a BERT encoder its weights do not say."""

    layers: int
    heads: int
    epsilon: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """
    What an encoder is for, in the words of ONNX.

    `inputs` beside word pieces and mask, each preceded by a comma; `output` with its type; `places`
    makes `placed` of `meanings` and `places`; `end` makes the output of `hidden`. `initializers`
    are those of its own.
    """

    inputs: str
    output: str
    places: str
    end: str
    initializers: Callable[[Weights], Initializers]


def build_graph(
    weights: Weights, shape: BertShape, head: Head, ranges: Ranges | None = None
) -> ModelProto:
    """
    The encoder and its head; in int8 where `ranges` are given, else fp32.

    Inputs `input_ids` and `attention_mask`, int64, (batch, sequence), and those of the head.

    Raises:
        KeyError: A weight is missing.
    """
    precision: Precision = "fp32" if ranges is None else "int8"
    initializers = dict([*_initializers(weights, shape, ranges), *head.initializers(weights)])
    text = _model_text(shape, precision, head)
    model = parser.parse_model(text)
    model.graph.initializer.extend(_tensor(name, each) for name, each in initializers.items())
    return model


def _tensor(name: str, array: NDArray[np.generic]) -> TensorProto:
    return numpy_helper.from_array(np.ascontiguousarray(array), name)


def _initializers(weights: Weights, shape: BertShape, ranges: Ranges | None) -> Initializers:
    yield from _words(weights["embeddings.word_embeddings.weight"], whole=ranges is not None)
    yield from _norm("embedded", weights, "embeddings.LayerNorm")
    for layer in range(shape.layers):
        path = f"encoder.layer.{layer}."
        for name, parts in _DENSE.items():
            paths = [path + part for part in parts]
            peaks = None if ranges is None else ranges[f"{name}_{layer}"]
            yield from _dense(f"{name}_{layer}", weights, paths, peaks)
        for name, part in _NORMS.items():
            yield from _norm(f"{name}_{layer}", weights, path + part)


def _words(table: Floats, *, whole: bool) -> Initializers:
    if not whole:
        yield "words", table
        return
    numbers, step = _whole_numbers(table, axis=1, peak=127)
    yield "words", numbers
    yield "words_step", step


def _norm(name: str, weights: Weights, path: str) -> Initializers:
    yield f"{name}_gain", weights[f"{path}.weight"]
    yield f"{name}_bias", weights[f"{path}.bias"]


def _dense(name: str, weights: Weights, paths: list[str], peaks: Floats | None) -> Initializers:
    weight = np.concatenate([weights[f"{path}.weight"] for path in paths]).T
    if peaks is None:
        yield f"{name}_weight", weight
    else:
        step_in = _input_steps(peaks)
        whole, step = _whole_numbers(weight * step_in[:, None], axis=0, peak=_WEIGHT_PEAK)
        yield f"{name}_per_step", 1 / step_in
        yield f"{name}_weight", whole
        yield f"{name}_step", step[0]
    yield f"{name}_bias", np.concatenate([weights[f"{path}.bias"] for path in paths])


def _input_steps(peaks: Floats) -> Floats:
    """What one whole number of each input channel is worth: no seen value is above 127 of them."""
    steps = np.sqrt(peaks * peaks.max()) / np.float32(127)
    floored: Floats = np.maximum(steps, np.float32(1e-6)).astype(np.float32)
    return floored


def _whole_numbers(array: Floats, *, axis: int, peak: int) -> tuple[NDArray[np.int8], Floats]:
    """`array` as whole numbers from -peak to peak, and what one of them is worth along `axis`."""
    step = np.abs(array).max(axis=axis, keepdims=True) / np.float32(peak)
    step[step == 0] = 1
    return np.rint(array / step).astype(np.int8), step


def _model_text(shape: BertShape, precision: Precision, head: Head) -> str:
    layers = "\n".join(_layer_call(layer, shape, precision) for layer in range(shape.layers))
    lookup, functions = (_LOOKUP_FP32, _FP32) if precision == "fp32" else (_LOOKUP, _INT8)
    main = _MAIN.format(
        inputs=head.inputs,
        output=head.output,
        lookup=lookup,
        places=head.places,
        epsilon=shape.epsilon,
        layers=layers,
        hidden=f"hidden_{shape.layers}",
        end=head.end,
    )
    parts = {name: ", ".join(_arguments(name, precision)) for name in _DENSE}
    return main + functions + _LAYER.format(weights=_all_arguments(precision), **parts)


def _layer_call(layer: int, shape: BertShape, precision: Precision) -> str:
    return (
        f"hidden_{layer + 1} = foreword.Layer <heads = {shape.heads}, epsilon = {shape.epsilon}>"
        f" (hidden_{layer}, seen, {_all_arguments(precision, f'_{layer}')})"
    )


def _all_arguments(precision: Precision, suffix: str = "") -> str:
    dense = [name for part in _DENSE for name in _arguments(part, precision, suffix)]
    norms = [f"{norm}{suffix}_{kind}" for norm in _NORMS for kind in ("gain", "bias")]
    return ", ".join(dense + norms)


def _arguments(part: str, precision: Precision, suffix: str = "") -> list[str]:
    kinds = ("weight", "bias") if precision == "fp32" else ("per_step", "weight", "step", "bias")
    return [f"{part}{suffix}_{kind}" for kind in kinds]


_MAIN = """
<ir_version: 9, opset_import: ["": 20, "com.microsoft": 1, "foreword": 1]>
encoder (int64[batch, sequence] input_ids, int64[batch, sequence] attention_mask{inputs})
    => ({output})
{{
    {lookup}
    start = Constant <value_ints = [0]> ()
    length = Shape <start = 1, end = 2> (input_ids)
    places = Slice (positions, start, length, start)
    {places}
    hidden_0 = LayerNormalization <epsilon = {epsilon}> (placed, embedded_gain, embedded_bias)
    seen = Cast <to = 6> (attention_mask)
    {layers}
    hidden = Identity ({hidden})
    {end}
}}
"""

_LOOKUP_FP32 = "meanings = Gather (words, input_ids)"

_LOOKUP = """
    whole = Gather (words, input_ids)
    parts = Cast <to = 1> (whole)
    worth = Gather (words_step, input_ids)
    meanings = Mul (parts, worth)
"""

_FP32 = """
<domain: "foreword", opset_import: ["": 20]>
Dense (x, weight, bias) => (y)
{
    product = MatMul (x, weight)
    y = Add (product, bias)
}

<domain: "foreword", opset_import: ["": 20, "foreword": 1]>
Narrow (x, weight, bias) => (y)
{
    bent = Gelu (x)
    y = foreword.Dense (bent, weight, bias)
}
"""

# Gelu's tanh form is faster, and what differs is lost in the steps.
_INT8 = """
<domain: "foreword", opset_import: ["": 20, "com.microsoft": 1]>
Dense (x, per_step, weight, weight_step, bias) => (y)
{
    one = Constant <value_float = 1.0> ()
    middle = Constant <value = uint8 {128}> ()
    nothing = Constant <value = int8 {0}> ()
    steps = Mul (x, per_step)
    whole = QuantizeLinear (steps, one, middle)
    y = com.microsoft.MatMulIntegerToFloat
        (whole, weight, one, weight_step, middle, nothing, bias)
}

<domain: "foreword", opset_import: ["": 20, "foreword": 1]>
Narrow (x, per_step, weight, weight_step, bias) => (y)
{
    bent = Gelu <approximate = "tanh"> (x)
    y = foreword.Dense (bent, per_step, weight, weight_step, bias)
}
"""

_LAYER = """
<domain: "foreword", opset_import: ["": 20, "com.microsoft": 1, "foreword": 1]>
Layer <heads, epsilon> (x, seen, {weights}) => (y)
{{
    asked = foreword.Dense (x, {ask})
    q, k, v = Split <axis = -1, num_outputs = 3> (asked)
    found = com.microsoft.MultiHeadAttention <num_heads: int = @heads> (q, k, v, "", seen)
    mixed = foreword.Dense (found, {mix})
    mixed_in = Add (mixed, x)
    h = LayerNormalization <epsilon: float = @epsilon> (mixed_in, mixed_gain, mixed_bias)
    wide = foreword.Dense (h, {widen})
    narrow = foreword.Narrow (wide, {narrow})
    done_in = Add (narrow, h)
    y = LayerNormalization <epsilon: float = @epsilon> (done_in, done_gain, done_bias)
}}
"""
