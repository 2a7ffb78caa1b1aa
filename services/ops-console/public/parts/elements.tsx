import type { ComponentChildren } from 'preact'
import { age, clockTime, inFull, inShort, relative } from './format.ts'
import { announce } from './notice.ts'

type IconProps = { name: string; kind?: 'i' | 'i i-s' | 'g' }

/** A symbol of the frame. */
export function Icon({ name, kind = 'i i-s' }: IconProps) {
  return (
    <svg class={kind} viewBox="0 0 16 16" aria-hidden="true">
      <use href={`#i-${name}`} />
    </svg>
  )
}

type TimeProps = { at: string | null | undefined; style?: 'short' | 'clock' | 'relative' }

/** A time, short; its title says it in full. A dash if there is none. */
export function Time({ at, style = 'short' }: TimeProps) {
  if (!at) return <span class="none">–</span>
  const text = { short: inShort, clock: clockTime, relative }[style]
  return (
    <time dateTime={at} title={`${inFull(at)}, ${relative(at)}`}>
      {text(at)}
    </time>
  )
}

/** The age of something that began at this time. */
export function AgeSince({ at }: { at: string }) {
  const seconds = (Date.now() - Date.parse(at)) / 1_000
  return (
    <time dateTime={at} title={inFull(at)}>
      {age(seconds)}
    </time>
  )
}

type CopyProps = { value: string; name: string }

/** An id with a button that copies it. A long one is shortened. */
export function Copyable({ value, name, shownMax = 40 }: CopyProps & { shownMax?: number }) {
  const shown = value.length <= shownMax ? value : `${value.slice(0, 8)}…${value.slice(-4)}`
  return (
    <span class="nowrap">
      <span class="mono" title={value}>
        {shown}
      </span>{' '}
      <CopyButton value={value} name={name} />
    </span>
  )
}

export function CopyButton({ value, name }: CopyProps) {
  const onClick = async () => {
    // the browser offers its clipboard only on a secure connection
    await navigator.clipboard?.writeText(value)
    announce(navigator.clipboard ? `Copied ${name}.` : `This browser cannot copy the ${name} here.`)
  }
  return (
    <button
      type="button"
      class="copy"
      aria-label={`Copy ${name}`}
      title={`Copy ${name}`}
      onClick={onClick}
    >
      <Icon name="copy" kind="i" />
    </button>
  )
}

type ButtonProps = {
  onClick: () => void
  icon?: string
  look?: string
  isDisabled?: boolean
  /** The accessible name, where the text alone is not clear. */
  name?: string
  children: ComponentChildren
}

export function Button({
  onClick,
  icon,
  look = '',
  isDisabled = false,
  name,
  children,
}: ButtonProps) {
  return (
    <button
      type="button"
      class={`btn ${look}`.trim()}
      disabled={isDisabled}
      onClick={onClick}
      aria-label={name}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

export type BannerProps = {
  tone?: 'bad' | 'warn' | undefined
  /** The state, as chips and remarks. */
  line: ComponentChildren
  say: ComponentChildren
  /** Explanations by their question. Empty ones are left out. */
  why?: Readonly<Record<string, ComponentChildren>>
}

/** The banner of one thing: its state, why, and what happens next. */
export function Banner({ tone, line, say, why = {} }: BannerProps) {
  const reasons = Object.entries(why).filter(([, answer]) => answer)
  return (
    <section class={`banner ${tone ? `is-${tone}` : ''}`.trim()} aria-label="State">
      <div class="line">{line}</div>
      <p class="say">{say}</p>
      {reasons.length > 0 && (
        <dl>
          {reasons.map(([question, answer]) => (
            <>
              <dt>{question}</dt>
              <dd>{answer}</dd>
            </>
          ))}
        </dl>
      )}
    </section>
  )
}

export type CardProps = {
  title: string
  /** Remarks beside the title. */
  meta?: ComponentChildren
  right?: ComponentChildren
  footer?: ComponentChildren
  class?: string
  /** Text has space around it. A table or a list has none. */
  isPadded?: boolean
  children: ComponentChildren
}

/** A section with a heading. */
export function Card({
  title,
  meta,
  right,
  footer,
  class: kind,
  isPadded = false,
  children,
}: CardProps) {
  return (
    <section class={kind ? `card ${kind}` : 'card'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {meta && <span class="meta">{meta}</span>}
        {right && <span class="right">{right}</span>}
      </header>
      {isPadded ? <div class="body">{children}</div> : children}
      {footer && <footer>{footer}</footer>}
    </section>
  )
}

type FactListProps = { of: Readonly<Record<string, ComponentChildren>>; isTwo?: boolean }

/** Facts by name. Absent ones are left out. */
export function FactList({ of: named, isTwo = false }: FactListProps) {
  return (
    <dl class={isTwo ? 'facts two' : 'facts'}>
      {Object.entries(named)
        .filter(([, fact]) => fact !== undefined && fact !== null && fact !== false && fact !== '')
        .map(([name, fact]) => (
          <>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </>
        ))}
    </dl>
  )
}

/** Stands for content that could not be read. */
export function NotAvailable({ title }: { title: string }) {
  return (
    <Card title={title} isPadded>
      Not available.
    </Card>
  )
}

/** Stands for content that is being loaded. */
export function Skeleton({ title }: { title: string }) {
  return (
    <section class="card" aria-label={title} aria-busy="true">
      <div class="body">
        {[72, 54, 63].map((width) => (
          <p>
            <span class="skel" style={{ width: `${width}%` }} />
          </p>
        ))}
      </div>
    </section>
  )
}

type HeadProps = {
  title: ComponentChildren
  crumbs?: { path: string; title: string }[]
  beside?: ComponentChildren
  tools?: ComponentChildren
}

/** The head of a page: where it is, its heading and its tools. */
export function Head({ title, crumbs = [], beside, tools }: HeadProps) {
  return (
    <>
      {crumbs.length > 0 && (
        <p class="crumb">
          {crumbs.map(({ path, title: place }, index) => (
            <>
              {index > 0 && <Icon name="chev" />}
              {path ? <a href={path}>{place}</a> : <span>{place}</span>}
            </>
          ))}
        </p>
      )}
      <div class="head">
        <h1>{title}</h1>
        {beside}
        {tools && <div class="tools">{tools}</div>}
      </div>
    </>
  )
}
