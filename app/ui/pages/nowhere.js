import { html } from "../lib/dom.js";
import { Empty, Title } from "../parts/basics.js";

export default () => html`<${Title}>Nothing here<//>
  <${Empty}>No page has this address. What was deleted has none any more.<//>`;
