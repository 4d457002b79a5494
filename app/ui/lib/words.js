// The words of a question inside of a text, about as full text finds them: whatever their ending.
const WORD = /[\p{L}\p{N}_]+/gu;
const TELLING = 4;
const ENDING = 2;

const beginning = (word) => (word.length > TELLING + ENDING ? word.slice(0, -ENDING) : word);

/** Short words tell nothing, unless there are no others. */
function beginnings(question) {
  const words = [...new Set(question.toLowerCase().match(WORD) || [])];
  const telling = words.filter((each) => each.length >= TELLING);
  return (telling.length > 0 ? telling : words).map(beginning);
}

/** Where in `text` words of the question stand: [[start, stop]], in order. */
export function placesOf(question, text) {
  const wanted = beginnings(question);
  const is = (word) => wanted.some((each) => (each.length < TELLING ? word === each : word.startsWith(each)));
  return [...text.matchAll(WORD)].filter(([word]) => is(word.toLowerCase())).map(({ 0: word, index }) => [index, index + word.length]);
}

/** Where to cut at `at`, or right before: what counts as two, as an emoji does, is not parted. */
const whole = (text, at) => (text.codePointAt(at - 1) > 0xffff ? at - 1 : at);

/** About `most` characters of `text` with the first of the places in them, cut between words: [from, to]. */
export function around(text, [first], most) {
  const near = first ? Math.max(0, first[0] - Math.floor(most / 3)) : 0;
  const blank = near > 0 ? text.slice(near, first[0]).search(/\s/) : 0;
  const from = near === 0 ? 0 : blank < 0 ? first[0] : near + blank + 1;
  if (text.length <= from + most) return [from, text.length];
  const cut = text.lastIndexOf(" ", from + most);
  return [from, cut > (first ? first[1] : from) ? cut : whole(text, from + most)];
}
