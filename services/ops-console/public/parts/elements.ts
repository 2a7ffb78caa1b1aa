import { type ComponentChildren, h, type JSX } from 'preact'
import { age, clockTime, inFull, inShort, relative } from './format.ts'
import { announce } from './notice.ts'

/** Returns a symbol of the frame. */
export function icon(name: string, kind: 'i' | 'i i-s' | 'g' = 'i i-s'): JSX.Element {
  return h(
    'svg',
    { class: kind, viewBox: '0 0 16 16', 'aria-hidden': 'true' },
    h('use', { href: `#i-${name}` }),
  )
}

/** Returns a time, short; its title says it in full. A dash if there is none. */
export function time(
  at: string | null | undefined,
  style: 'short' | 'clock' | 'relative' = 'short',
): ComponentChildren {
  if (!at) return h('span', { class: 'none' }, '–')
  const text = { short: inShort, clock: clockTime, relative }[style]
  return h('time', { dateTime: at, title: `${inFull(at)}, ${relative(at)}` }, text(at))
}

/** Returns the age of something that began at this time. */
export function ageSince(at: string): JSX.Element {
  const seconds = (Date.now() - Date.parse(at)) / 1_000
  return h('time', { dateTime: at, title: inFull(at) }, age(seconds))
}

/** Returns an id with a button that copies it. A long one is shortened. */
export function copyable(value: string, name: string, shownMax = 40): JSX.Element {
  const shown = value.length <= shownMax ? value : `${value.slice(0, 8)}…${value.slice(-4)}`
  return h(
    'span',
    { class: 'nowrap' },
    h('span', { class: 'mono', title: value }, shown),
    ' ',
    copyButton(value, name),
  )
}

export function copyButton(value: string, name: string): JSX.Element {
  const onClick = async () => {
    // the browser offers its clipboard only on a secure connection
    await navigator.clipboard?.writeText(value)
    announce(navigator.clipboard ? `Copied ${name}.` : `This browser cannot copy the ${name} here.`)
  }
  return h(
    'button',
    { type: 'button', class: 'copy', 'aria-label': `Copy ${name}`, title: `Copy ${name}`, onClick },
    icon('copy', 'i'),
  )
}

export function link(href: string, ...text: ComponentChildren[]): JSX.Element {
  return h('a', { href }, ...text)
}

export type ButtonOptions = {
  icon?: string
  look?: string
  isDisabled?: boolean
  /** The accessible name, where the text alone is not clear. */
  name?: string
}

export function button(
  text: ComponentChildren,
  onClick: () => void,
  { icon: symbol, look = '', isDisabled = false, name }: ButtonOptions = {},
): JSX.Element {
  return h(
    'button',
    {
      type: 'button',
      class: `btn ${look}`.trim(),
      disabled: isDisabled,
      onClick,
      ...(name && { 'aria-label': name }),
    },
    symbol && icon(symbol),
    text,
  )
}

export type Banner = {
  tone?: 'bad' | 'warn' | undefined
  /** The state, as chips and remarks. */
  line: ComponentChildren
  say: ComponentChildren
  /** Explanations by their question. Empty ones are left out. */
  why?: Readonly<Record<string, ComponentChildren>>
}

/** Returns the banner of one thing: its state, why, and what happens next. */
export function banner({ tone, line, say, why = {} }: Banner): JSX.Element {
  const reasons = Object.entries(why).filter(([, answer]) => answer)
  return h(
    'section',
    { class: `banner ${tone ? `is-${tone}` : ''}`.trim(), 'aria-label': 'State' },
    h('div', { class: 'line' }, line),
    h('p', { class: 'say' }, say),
    reasons.length > 0 &&
      h(
        'dl',
        {},
        reasons.map(([question, answer]) => [h('dt', {}, question), h('dd', {}, answer)]),
      ),
  )
}

export type Card = {
  title: string
  /** Remarks beside the title. */
  meta?: ComponentChildren
  right?: ComponentChildren
  footer?: ComponentChildren
  class?: string
}

/** Returns a section with a heading. */
export function card(
  { title, meta, right, footer, class: kind }: Card,
  ...content: ComponentChildren[]
): JSX.Element {
  return h(
    'section',
    { class: kind ? `card ${kind}` : 'card', 'aria-label': title },
    h(
      'header',
      {},
      h('h2', {}, title),
      meta && h('span', { class: 'meta' }, meta),
      right && h('span', { class: 'right' }, right),
    ),
    ...content,
    footer && h('footer', {}, footer),
  )
}

export function body(...content: ComponentChildren[]): JSX.Element {
  return h('div', { class: 'body' }, ...content)
}

/** Returns facts by name. Absent ones are left out. */
export function facts(
  named: Readonly<Record<string, ComponentChildren>>,
  { isTwo = false } = {},
): JSX.Element {
  return h(
    'dl',
    { class: isTwo ? 'facts two' : 'facts' },
    Object.entries(named)
      .filter(([, fact]) => fact !== undefined && fact !== null && fact !== false && fact !== '')
      .map(([name, fact]) => [h('dt', {}, name), h('dd', {}, fact)]),
  )
}

/** Says what an empty list means, and what to do. */
export function empty(...text: ComponentChildren[]): JSX.Element {
  return h('p', { class: 'empty' }, ...text)
}

/** Stands for content that is being loaded. */
export function skeleton(title: string): JSX.Element {
  const lines = [72, 54, 63].map((width) =>
    h('p', {}, h('span', { class: 'skel', style: { width: `${width}%` } })),
  )
  return h('section', { class: 'card', 'aria-label': title, 'aria-busy': 'true' }, body(lines))
}

export type Crumb = { path: string; title: string }

/** Returns the head of a page: where it is, its heading and its tools. */
export function head(
  title: ComponentChildren,
  {
    crumbs = [],
    beside,
    tools,
  }: { crumbs?: Crumb[]; beside?: ComponentChildren; tools?: ComponentChildren } = {},
): JSX.Element[] {
  return [
    ...(crumbs.length > 0
      ? [
          h(
            'p',
            { class: 'crumb' },
            crumbs.map(({ path, title: place }, index) => [
              index > 0 && icon('chev'),
              path ? link(path, place) : h('span', {}, place),
            ]),
          ),
        ]
      : []),
    h(
      'div',
      { class: 'head' },
      h('h1', {}, title),
      beside,
      tools && h('div', { class: 'tools' }, tools),
    ),
  ]
}
