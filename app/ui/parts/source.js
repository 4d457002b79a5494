// Where an item comes from: a link to the message, in its conversation.
import { html } from "../lib/dom.js";
import { Link } from "../lib/router.js";

export const messageOf = (item) =>
  item.lineage?.find((each) => each.kind === "message")?.id || (item.type === "message" ? item.id : undefined);

export function Source({ item, user }) {
  if (!item.conversation_id) return null;
  const name = item.label || item.conversation_external_id || "its conversation";
  return html`<${Link} to=${`/conversations/${item.conversation_id}`} query=${{ user, message: messageOf(item) }} class="source" title=${name}>${name}<//>`;
}
