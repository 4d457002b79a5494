// Where the nodes of a small graph lie: pushed apart by each other, pulled together by edges. The
// same graph always lies the same way.
const STEPS = 220;
const FAR = 150;

const centred = (n) => Array.from({ length: n }, (_, at) => {
  const turn = at * 2.399963; // the golden angle: no two begin at the same place
  return { x: Math.cos(turn) * 60 * Math.sqrt(at), y: Math.sin(turn) * 60 * Math.sqrt(at) };
});

function push(places, moves) {
  for (let a = 0; a < places.length; a += 1) {
    for (let b = a + 1; b < places.length; b += 1) {
      const [dx, dy] = [places[a].x - places[b].x, places[a].y - places[b].y];
      const near = Math.max(dx * dx + dy * dy, 1);
      const force = (FAR * FAR * 0.6) / near;
      const far = Math.sqrt(near);
      moves[a].x += (dx / far) * force; moves[a].y += (dy / far) * force;
      moves[b].x -= (dx / far) * force; moves[b].y -= (dy / far) * force;
    }
  }
}

function pull(places, moves, pairs) {
  for (const [a, b] of pairs) {
    const [dx, dy] = [places[b].x - places[a].x, places[b].y - places[a].y];
    const far = Math.max(Math.hypot(dx, dy), 1);
    const force = (far - FAR) * 0.08;
    moves[a].x += (dx / far) * force; moves[a].y += (dy / far) * force;
    moves[b].x -= (dx / far) * force; moves[b].y -= (dy / far) * force;
  }
}

/** [{x, y}] for `n` nodes, the first of which is in the middle; `pairs` are edges by index. */
export function layOut(n, pairs) {
  const places = centred(n);
  for (let step = 0; step < STEPS; step += 1) {
    const moves = places.map(() => ({ x: 0, y: 0 }));
    push(places, moves);
    pull(places, moves, pairs);
    const most = 24 * (1 - step / STEPS) + 0.5;
    for (let at = 1; at < n; at += 1) {
      const far = Math.max(Math.hypot(moves[at].x, moves[at].y), 1e-6);
      const go = Math.min(far, most) / far;
      places[at].x += moves[at].x * go - places[at].x * 0.004;
      places[at].y += moves[at].y * go - places[at].y * 0.004;
    }
  }
  return places;
}
