// Where nobody's memory is looked at: the first of those whose could be.
import { html } from "../lib/dom.js";
import { listOf } from "../lib/person.js";
import { Link, useLocation } from "../lib/router.js";
import { useUsers } from "../lib/users.js";

const FEW = 6;

export function Users({ user }) {
  const { path, query } = useLocation();
  const users = useUsers(user ? null : "", FEW);
  if (user || users.length === 0) return null;
  return html`<nav class="users" aria-labelledby="users-title"><p id="users-title">Look at the memory of</p>
    <ul>${users.map((each) => html`<li key=${each}><${Link} to=${listOf(path)} query=${{ ...query, user: each }}><bdi>${each}</bdi><//></li>`)}</ul></nav>`;
}
