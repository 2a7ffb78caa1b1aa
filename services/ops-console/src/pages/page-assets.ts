import { createHash } from 'node:crypto'
import { html, Markup } from './html.ts'

const style = `
:root { color-scheme: light dark; --ink: #1b2330; --quiet: #5a6575; --ground: #f6f7f9; --card: #fff; --line: #dbe0e7; --link: #0b57a4; --alarm: #9c1c14; --alarm-ground: #fdeceb; --calm: #17663a; --calm-ground: #e8f5ed }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --quiet: #a0abba; --ground: #12161c; --card: #1b212a; --line: #323b48; --link: #8dc0f5; --alarm: #ff9a92; --alarm-ground: #35191a; --calm: #7fd6a2; --calm-ground: #15291e } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.5rem 3rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1.5rem }
h1 { font-size: 1.5rem; margin: 0 }
h2 { font-size: 1.125rem; margin: 0 }
nav { display: flex; gap: 1rem }
a { color: var(--link) }
a:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
#freshness { margin: 0; color: var(--alarm); font-weight: 600 }
.note { color: var(--quiet); font-size: .875rem; margin: .5rem 0 }
.concern, .calm { padding: .75rem 1rem; border-radius: .5rem; border-left: .375rem solid; margin: 0 0 1rem }
.concern { color: var(--alarm); background: var(--alarm-ground) }
.calm { color: var(--calm); background: var(--calm-ground) }
.concern ul { margin: .25rem 0 0; padding-left: 1.25rem; color: var(--ink) }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 1rem }
.table { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; margin: 0 0 1rem; overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { text-align: left; font-weight: 600; font-size: 1.125rem; padding-bottom: .25rem }
th, td { text-align: right; padding: .25rem .5rem; border-bottom: 1px solid var(--line); font-weight: 400; white-space: nowrap }
th:first-child, td:first-child { text-align: left; padding-left: 0 }
main > .table th, main > .table td { text-align: left }
thead th { color: var(--quiet); font-size: .875rem }
tbody th { font-weight: 600; overflow-wrap: anywhere; white-space: normal }
`

const script = `
const everyMs = 2000
const freshness = document.getElementById('freshness')
async function refresh() {
  try {
    const answer = await fetch('/', { signal: AbortSignal.timeout(5000) })
    if (!answer.ok) throw new Error(answer.status)
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    document.querySelector('main').replaceWith(page.querySelector('main'))
    freshness.textContent = ''
  } catch {
    freshness.textContent = 'No answer: these figures are old.'
  }
  setTimeout(refresh, everyMs)
}
setTimeout(refresh, everyMs)
`

export const pageStyle = html`<style>${new Markup(style)}</style>`
export const pageScript = html`<script>${new Markup(script)}</script>`

/** Lets the page run its own style and script and ask this server again, and nothing else. */
export const pageContentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${hashOf(style)}'`,
  `script-src '${hashOf(script)}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
