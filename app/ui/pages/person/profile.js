// The profile: two tables of named values that somebody wrote, and notes; beside them what facts say.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../../lib/dom.js";
import { erase, put } from "../../lib/api.js";
import { useAct } from "../../lib/load.js";
import { Link } from "../../lib/router.js";
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

/** What somebody wrote: what facts say is not theirs to save. */
function written(profile) {
  const own = (section) => Object.fromEntries(Object.entries(profile[section]).filter(([name]) => !profile.derived[section]?.[name]));
  return { ...profile, preferences: own("preferences"), context: own("context") };
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

/** Why rows cannot be saved as they are; nothing where they can. */
function refusalOf(legend, rows) {
  const names = rows.map(({ name }) => name.trim());
  const twice = names.find((name, at) => name && names.indexOf(name) < at);
  if (twice) return `${legend}: two rows are called “${twice}”`;
  const nameless = rows.find(({ name, text }) => !name.trim() && text.trim());
  return nameless && `${legend}: the value “${nameless.text}” has no name`;
}

function Section({ id, legend, rows, onChange }) {
  const place = useRef();
  const next = useRef("");
  // Before anything is painted: whoever types on must not type into nothing.
  useLayoutEffect(() => {
    if (next.current) [...place.current.querySelectorAll(next.current)].at(-1).focus();
    next.current = "";
  }, [rows.length]);
  const add = () => {
    next.current = ".row input:first-child";
    onChange([...rows, { name: "", text: "", was: null }]);
  };
  const takeOut = (at) => {
    next.current = `#${id}-add`;
    onChange(rows.filter((_, index) => index !== at));
  };
  const set = (at, some) => onChange(rows.map((row, index) => (index === at ? { ...row, ...some } : row)));
  return html`<fieldset class="rows" ref=${place}><legend>${legend}</legend>
    ${rows.map((row, at) => html`<div class="row" key=${at}>
      <input aria-label=${`${legend}: name`} value=${row.name} placeholder="name" onInput=${(e) => set(at, { name: e.currentTarget.value })} />
      <input aria-label=${`${legend}: value of ${row.name || "this"}`} value=${row.text} placeholder="value" onInput=${(e) => set(at, { text: e.currentTarget.value })} />
      <${Button} kind="quiet" aria-label=${`Take ${row.name || "this row"} out`} onClick=${() => takeOut(at)}>✕<//></div>`)}
    <${Button} kind="quiet" id=${`${id}-add`} onClick=${add}>Add to ${legend.toLowerCase()}<//>
  </fieldset>`;
}

function Derived({ profile, user }) {
  const told = SECTIONS.flatMap(([section]) => Object.entries(profile.derived[section] || {}).map(([name, facts]) => [name, [profile[section][name]].flat(), facts]));
  if (told.length === 0) return null;
  return html`<h3>From facts</h3>
    <p class="quiet">An entry goes with its fact; one of the same name above takes its place.</p>
    <table class="list derived"><tbody>${told.map(([name, values, facts]) => html`<tr key=${name}><th scope="row">${name}</th>
      <td>${facts.map((fact, at) => html`${at > 0 && ", "}<${Link} key=${fact} to=${`/memory/facts/${fact}`} query=${{ user }}>${values[at]}<//>`)}</td></tr>`)}</tbody></table>`;
}

function Editor({ path, profile, onChange }) {
  const own = useMemo(() => (profile ? written(profile) : NOTHING), [profile]);
  const [form, setForm] = useState(formOf(own));
  const [erasing, setErasing] = useState(false);
  const [said, setSaid] = useState("");
  // Read anew, as after consent to something, it may say what it did: what is being written stays.
  useEffect(() => setForm(formOf(own)), [JSON.stringify([own.preferences, own.context, own.notes])]);
  const write = (some) => {
    setSaid("");
    setForm({ ...form, ...some });
  };
  const saving = useAct(async () => {
    const refusal = SECTIONS.map(([name, legend]) => refusalOf(legend, form[name])).find(Boolean);
    if (refusal) throw new Error(refusal);
    await put(path, { preferences: changesOf(form.preferences, own.preferences), context: changesOf(form.context, own.context), notes: form.notes });
    setSaid("Saved.");
    onChange();
  });
  const submit = (event) => {
    event.preventDefault();
    saving.run();
  };
  return html`<form onSubmit=${submit} aria-label="Profile">
    ${profile ? html`<p class="quiet">Changed <${Time} at=${profile.updated_at} /></p>` : html`<${Empty}>There is no profile yet.<//>`}
    ${SECTIONS.map(([name, legend]) => html`<${Section} key=${name} id=${name} legend=${legend} rows=${form[name]} onChange=${(rows) => write({ [name]: rows })} />`)}
    <${Field} label="Notes" id="notes"><textarea id="notes" rows="4" maxlength="20000" value=${form.notes} onInput=${(e) => write({ notes: e.currentTarget.value })}></textarea><//>
    <${Notice} problem=${saving.problem} />
    <div class="buttons"><${Button} kind="main" type="submit" busy=${saving.busy}>Save the profile<//>
      ${profile && html`<${Button} kind="danger-quiet" onClick=${() => setErasing(true)}>Erase the profile<//>`}<span class="quiet" role="status">${said}</span></div>
    ${erasing && html`<${Confirm} title="Erase the profile?" action="Erase" act=${() => erase(path)} onClose=${() => setErasing(false)}
      onDone=${(receipt) => { setErasing(false); onChange(receipt); }}><p>The consent stays. It cannot be undone.</p><//>`}
  </form>`;
}

export function Profile({ path, user, of, onChange }) {
  return html`<section class="card"><h2>Profile</h2>
    <${Loaded} of=${of}>${({ profile, may }) => may
      ? html`<${Editor} path=${path} profile=${profile} onChange=${onChange} />
        ${profile && html`<${Derived} profile=${profile} user=${user} />`}`
      : html`<${Empty}>Without consent to “profile” there is none, and none can be written.<//>`}<//>
  </section>`;
}
