// Label, folder and tags of a conversation.
import { html, useEffect, useState } from "../../lib/dom.js";
import { Button, Field } from "../../parts/basics.js";

const of = (it) => ({ label: it.label || "", folder: it.folder || "", tags: it.tags.join(", ") });

export function Edit({ it, onSave, busy }) {
  const before = of(it);
  const [fields, setFields] = useState(before);
  // Read anew, as after a pin, it may say what it did: what is being written stays.
  useEffect(() => setFields(before), [JSON.stringify(before)]);
  const input = (name, label, hint) => html`<${Field} label=${label} id=${`edit-${name}`} hint=${hint}>
    <input id=${`edit-${name}`} value=${fields[name]} onInput=${(e) => setFields({ ...fields, [name]: e.currentTarget.value })} /><//>`;
  const submit = (event) => {
    event.preventDefault();
    const tags = fields.tags.split(",").map((each) => each.trim()).filter(Boolean);
    // A stored tag may have a comma in it: who did not touch them sends none.
    const retagged = fields.tags === before.tags ? {} : { tags: [...new Set(tags)] };
    onSave({ label: fields.label.trim() || null, folder: fields.folder.trim() || null, ...retagged });
  };
  return html`<details class="edit"><summary>Label, folder, tags</summary>
    <form class="inline" onSubmit=${submit} aria-label="Label, folder and tags">
      ${input("label", "Label")}${input("folder", "Folder", "Moves it there.")}${input("tags", "Tags", "Several, by commas.")}
      <${Button} kind="main" type="submit" busy=${busy}>Save<//>
    </form></details>`;
}
