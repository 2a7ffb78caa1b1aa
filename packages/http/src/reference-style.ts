/** The colours of the console and the fonts of the system, as the variables of the reference. */
export const referenceStyle = `
.light-mode, .dark-mode {
  --scalar-font: -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, Arial, sans-serif;
  --scalar-font-code: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  --scalar-background-1: light-dark(#ffffff, #151920);
  --scalar-background-2: light-dark(#f7f8fa, #1b2029);
  --scalar-background-3: light-dark(#f1f3f6, #272d38);
  --scalar-background-accent: light-dark(#eaeefc, #1f2747);
  --scalar-border-color: light-dark(#e2e6ec, #272d38);
  --scalar-color-1: light-dark(#161a22, #e9ecf2);
  --scalar-color-2: light-dark(#454e5e, #b9c1ce);
  --scalar-color-3: light-dark(#5f6979, #929cac);
  --scalar-color-accent: light-dark(#3450c8, #93a9ff);
  --scalar-link-color: var(--scalar-color-accent);
  --scalar-link-color-hover: light-dark(#2a42ab, #a9baff);
  --scalar-color-green: light-dark(#17713f, #63cd94);
  --scalar-color-orange: light-dark(#8a5300, #e8b657);
  --scalar-color-yellow: light-dark(#8a5300, #e8b657);
  --scalar-color-red: light-dark(#b3261e, #ff9188);
  --scalar-color-blue: light-dark(#1a5fb0, #7ebcff);
  --scalar-color-purple: light-dark(#6440bd, #bda3ff);
  --scalar-button-1: light-dark(#3450c8, #93a9ff);
  --scalar-button-1-hover: light-dark(#2a42ab, #a9baff);
  --scalar-button-1-color: light-dark(#ffffff, #0e1430);
  --scalar-sidebar-background-1: light-dark(#f7f8fa, #0e1116);
  --scalar-sidebar-border-color: var(--scalar-border-color);
  --scalar-sidebar-color-1: var(--scalar-color-1);
  --scalar-sidebar-color-2: var(--scalar-color-2);
  --scalar-sidebar-color-active: var(--scalar-color-accent);
  --scalar-sidebar-item-active-background: var(--scalar-background-accent);
  --scalar-sidebar-search-background: var(--scalar-background-1);
  --scalar-sidebar-search-border-color: var(--scalar-border-color);
}
.markdown pre code, .markdown pre code * { white-space: pre-wrap !important; overflow-wrap: anywhere; }
`
