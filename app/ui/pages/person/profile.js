// The profile: two tables of named values, and notes.
import { html, useEffect, useState } from "../../lib/dom.js";
import { erase, put } from "../../lib/api.js";
import { useAct } from "../../lib/load.js";
import { Button, Empty, Field, Loaded, Notice, Time } from "../../parts/basics.js";
import { Confirm } from "../../parts/dialog.js";

const SECTIONS = [["preferences", "Preferences"], ["context", "Context"]];
const NOTHING = { preferences: {}, context: {}, notes: "" };

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

/** As JSON where it is some, else as text: `["python"]` is a list, `functional` a word. */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const rowsOf = (section) => Object.entries(section).map(([name, value]) => ({ name, text: shown(value), was: shown(value) }));
const formOf = (profile) => ({ preferences: rowsOf(profile.preferences), context: rowsOf(profile.context), notes: profile.notes });

/** What a section is to become: a name that is not there any more is taken out with null. */
function changesOf(rows, before) {
  const kept = rows.filter((each) => each.name.trim());
  const gone = Object.keys(before).filter((name) => !kept.some((each) => each.name === name));
  const now = kept.map(({ name, text, was }) => [name.trim(), text === was && name in before ? before[name] : read(text)]);
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...Object.fromEntries(now) };
}

function Section({ id, legend, rows, onChange }) {
  const set = (at, some) => onChange(rows.map((row, index) => (index === at ? { ...row, ...some } : row)));
  return html`<fieldset class="rows"><legend>${legend}</legend>
    ${rows.map((row, at) => html`<div class="row" key=${at}>
      <input aria-label=${`${legend}: name`} value=${row.name} placeholder="name" onInput=${(e) => set(at, { name: e.currentTarget.value })} />
      <input aria-label=${`${legend}: value of ${row.name || "this"}`} value=${row.text} placeholder="value" onInput=${(e) => set(at, { text: e.currentTarget.value })} />
      <${Button} kind="quiet" aria-label=${`Take ${row.name || "this row"} out`} onClick=${() => onChange(rows.filter((_, index) => index !== at))}>✕<//></div>`)}
    <${Button} kind="quiet" id=${`${id}-add`} onClick=${() => onChange([...rows, { name: "", text: "", was: null }])}>Add to ${legend.toLowerCase()}<//>
  </fieldset>`;
}

function Editor({ path, profile, onChange }) {
  const [form, setForm] = useState(formOf(profile || NOTHING));
  const [erasing, setErasing] = useState(false);
  useEffect(() => setForm(formOf(profile || NOTHING)), [profile]);
  const saving = useAct(async () => {
    const before = profile || NOTHING;
    await put(path, { preferences: changesOf(form.preferences, before.preferences), context: changesOf(form.context, before.context), notes: form.notes });
    onChange();
  });
  const submit = (event) => {
    event.preventDefault();
    saving.run();
  };
  return html`<form onSubmit=${submit} aria-label="Profile">
    ${profile ? html`<p class="quiet">Changed <${Time} at=${profile.updated_at} /></p>` : html`<${Empty}>There is no profile yet.<//>`}
    ${SECTIONS.map(([name, legend]) => html`<${Section} key=${name} id=${name} legend=${legend} rows=${form[name]} onChange=${(rows) => setForm({ ...form, [name]: rows })} />`)}
    <${Field} label="Notes" id="notes"><textarea id="notes" rows="4" maxlength="20000" value=${form.notes} onInput=${(e) => setForm({ ...form, notes: e.currentTarget.value })}></textarea><//>
    <${Notice} problem=${saving.problem} />
    <div class="buttons"><${Button} kind="main" type="submit" busy=${saving.busy}>Save the profile<//>
      ${profile && html`<${Button} kind="danger-quiet" onClick=${() => setErasing(true)}>Erase the profile<//>`}</div>
    ${erasing && html`<${Confirm} title="Erase the profile?" action="Erase" act=${() => erase(path)} onClose=${() => setErasing(false)}
      onDone=${(receipt) => { setErasing(false); onChange(receipt); }}><p>The consent stays. It cannot be undone.</p><//>`}
  </form>`;
}

export function Profile({ path, of, onChange }) {
  return html`<section class="card"><h2>Profile</h2>
    <${Loaded} of=${of}>${({ profile, may }) => may
      ? html`<${Editor} path=${path} profile=${profile} onChange=${onChange} />`
      : html`<${Empty}>Without consent to “profile” there is none, and none can be written.<//>`}<//>
  </section>`;
}
