/** A page of the console. Its script, a module below /console, fetches the content. */
export type Page = {
  path: `/${string}`
  title: string
  script: string
  /** Open pages require no session, and show no links. */
  isOpen?: boolean
  /** Whether the navigation links to it. */
  isListed?: boolean
}

/** The pages, in the order of the navigation. */
export const pages: readonly Page[] = [
  { path: '/', title: 'Now', script: 'now.js', isListed: true },
  { path: '/print-jobs', title: 'Find', script: 'find.js', isListed: true },
  { path: '/print-job', title: 'Print job', script: 'print-job.js' },
  { path: '/callbacks', title: 'Callbacks', script: 'callbacks.js', isListed: true },
  { path: '/print-runs', title: 'Print runs', script: 'print-runs.js', isListed: true },
  { path: '/bulk-actions', title: 'Bulk actions', script: 'bulk-actions.js', isListed: true },
  { path: '/queue-control', title: 'Queues', script: 'queues.js', isListed: true },
  { path: '/consumers', title: 'Consumers', script: 'consumers.js', isListed: true },
  { path: '/sign-in', title: 'Sign in', script: 'sign-in.js', isOpen: true },
]

const elsewhere = [
  { path: '/queues', title: 'Queue board' },
  { path: '/metrics', title: 'Metrics' },
  { path: '/health/ready', title: 'Health' },
] as const

/** Returns the frame of a page. It contains nothing that only operators may see. */
export function renderPage(page: Page): string {
  const frame = html`<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} – Despatch operations</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/console/style.css">
<script type="module" src="/console/${page.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the contents</a>
<header>
<p class="product">Despatch</p>
${page.isOpen ? '' : renderNavigation(page)}
</header>
<main id="main" tabindex="-1">
<h1>${page.title}</h1>
<p id="notice" role="status" aria-live="polite"></p>
<noscript><p class="concern">This page needs JavaScript. <a href="/metrics">Metrics</a> and <a href="/health/ready">health</a> do not.</p></noscript>
<div id="contents"></div>
</main>
${page.isOpen ? '' : html`<footer><p class="note">Times are those of London.</p></footer>`}
</body>
</html>`
  return `<!doctype html>\n${frame.text}\n`
}

function renderNavigation(current: Page): Markup {
  const own = pages
    .filter(({ isListed }) => isListed)
    .map(({ path, title }) =>
      path === current.path
        ? html`<li><a href="${path}" aria-current="page">${title}</a></li>`
        : html`<li><a href="${path}">${title}</a></li>`,
    )
  const others = elsewhere.map(({ path, title }) => html`<li><a href="${path}">${title}</a></li>`)
  return html`<nav aria-label="Console"><ul>${own}${others}</ul></nav>
<div class="who"><span id="who"></span> <button type="button" id="sign-out">Sign out</button></div>`
}

/** Text that is already HTML. Only `html` creates it. */
class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Content = string | number | Markup | readonly Markup[]

/** Returns HTML. It escapes every inserted value, in text and in quoted attributes, except markup. */
export function html(literals: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(String.raw({ raw: literals }, ...contents.map(render)))
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text
  if (Array.isArray(content)) return content.map(({ text }: Markup) => text).join('')
  return String(content).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
