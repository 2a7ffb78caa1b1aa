import { readFileSync } from 'node:fs'
import type { OpsConsoleConfig } from '../config.ts'
import { html, Markup } from './html.ts'
import { type Page, pages } from './page.ts'

type Environment = OpsConsoleConfig['DESPATCH_ENVIRONMENT']

type Means = { name: string; means: string }

/** The name of the environment, and what it means for letters. */
const environments = {
  production: { name: 'Production', means: 'real post' },
  uat: { name: 'UAT', means: 'no real post' },
} as const satisfies Record<Environment, Means>
const simulated = { name: 'Simulated factory', means: 'no real post' }

/** Symbols that pages refer to as `#i-name`. */
const icons = new Markup(readFileSync(new URL('icons.svg', import.meta.url), 'utf8'))

type Frame = {
  environment: Environment
  /** Letters are not printed: a simulated factory reports them as posted. */
  isSimulated?: boolean
  /** Returns where a file of the bundle is served. */
  pathOf: (file: string) => string
}

/**
 * Returns the frame of a page. It contains nothing that only operators may see, and no control that requires the
 * page's script: a click before the script has arrived would be lost.
 */
export function renderShell(
  page: Page,
  { environment, isSimulated = false, pathOf }: Frame,
): string {
  const means = isSimulated ? simulated : environments[environment]
  const frame = html`<html lang="en-GB" data-env="${environment}"${isSimulated ? html` data-simulated` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · Despatch ${means.name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${pathOf('styles.css')}">
<script type="module" src="${pathOf(`${page.script}.js`)}"></script>
</head>
<body>
${icons}${page.isOpen ? renderOpen(page, means) : renderClosed(page, means)}
</body>
</html>`
  return `<!doctype html>\n${frame.text}\n`
}

function renderOpen(page: Page, means: Means): Markup {
  return html`<main class="sign" id="main" tabindex="-1"><div class="card">${label(means)}
<div class="in"><h1>${icon('mark')}${page.title} to Despatch</h1>
${notice}<div id="contents"></div>${noScript}</div></div>
<p class="meta">Forgotten password? An administrator can reset it.</p></main>`
}

function renderClosed(page: Page, means: Means): Markup {
  return html`<a class="skip" href="#main">Skip to the contents</a>
<div class="shell">
<nav class="side" id="side" popover aria-label="Console">
<a class="brand" href="/">${icon('mark')}Despatch</a>
${label(means)}
<ul>${linksOf('work', page)}</ul>
<div><p class="group" id="system">System</p><ul aria-labelledby="system">${linksOf('system', page)}</ul></div>
<p class="who"><span><span id="who"></span><br><span class="meta" id="roles"></span></span><span id="sign-out"></span></p>
</nav>
<div>
<header class="top">
<button class="btn menu-button" type="button" popovertarget="side" aria-label="Menu">${icon('menu')}</button>
<span class="only-s">${label(means)}</span>
<div class="search" id="search"></div>
<p class="live" id="live"></p>
</header>
<main id="main" tabindex="-1">
${notice}
<p id="spoken" class="vh" role="status" aria-live="polite"></p>
${noScript}
<div id="contents"><div class="head"><h1>${page.title}</h1></div></div>
<p class="foot">Times are London times. Point at a time to see it in full. <span id="keys"></span></p>
</main>
</div>
</div>`
}

const notice = html`<p id="notice" role="status" aria-live="polite"></p>`

const noScript = html`<noscript><p>This page needs JavaScript. <a href="/metrics">Metrics</a> and <a href="/health/ready">health</a> do not.</p></noscript>`

function label({ name, means }: Means): Markup {
  return html`<span class="env">${name} <small>${means}</small></span>`
}

function linksOf(section: 'work' | 'system', current: Page): Markup[] {
  return pages.flatMap(({ path, title, place }) =>
    place?.section === section
      ? [
          html`<li><a href="${path}"${path === (current.within ?? current.path) ? html` aria-current="page"` : ''}>${icon(place.icon)}${title}${path === '/' ? html`<span class="n" id="concerns"></span>` : ''}</a></li>\n`,
        ]
      : [],
  )
}

function icon(name: string): Markup {
  return html`<svg class="i" viewBox="0 0 16 16" aria-hidden="true"><use href="#i-${name}"/></svg>`
}
