// Label, folder and tags of a conversation.
import { html, useEffect, useState } from "../../lib/dom.js";
import { Button, Field } from "../../parts/basics.js";

const of = (it) => ({ label: it.label || "", folder: it.folder || "", tags: it.tags.join(", ") });

export function Edit({ it, onSave, busy }) {
  const [fields, setFields] = useState(of(it));
  useEffect(() => setFields(of(it)), [it]);
  const input = (name, label, hint) => html`<${Field} label=${label} id=${`edit-${name}`} hint=${hint}>
    <input id=${`edit-${name}`} value=${fields[name]} onInput=${(e) => setFields({ ...fields, [name]: e.currentTarget.value })} /><//>`;
  const submit = (event) => {
    event.preventDefault();
    const tags = fields.tags.split(",").map((each) => each.trim()).filter(Boolean);
    onSave({ label: fields.label.trim() || null, folder: fields.folder.trim() || null, tags: [...new Set(tags)] });
  };
  return html`<details class="edit"><summary>Label, folder, tags</summary>
    <form class="inline" onSubmit=${submit} aria-label="Label, folder and tags">
      ${input("label", "Label")}${input("folder", "Folder", "Moves it there.")}${input("tags", "Tags", "Several, by commas.")}
      <${Button} kind="main" type="submit" busy=${busy}>Save<//>
    </form></details>`;
}
