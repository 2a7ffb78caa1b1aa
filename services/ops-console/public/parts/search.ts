import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import type { ListedPrintJobsResponse } from '@despatch/contracts/administration/print-job'
import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import { h, type JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ask, messageOf, Refusal, withQuery } from './api.ts'
import { runStateName, statusMark, statusName } from './chips.ts'
import { findConsumers, readConsumers } from './consumers.ts'
import { icon } from './elements.ts'
import { countOf } from './format.ts'
import { doSingleKeysAct, isTyping } from './keyboard.ts'
import { type Group, inOrder, type Result } from './search-order.ts'
import { keepTerm } from './term.ts'

const lettersShownMax = 8
const consumersShownMax = 5
const pauseMs = 150
const placeholder = 'Find a letter, recipient, run or consumer'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const digits = /^[A-Za-z]{0,3}\d{3,}$/

type Hit = {
  path: string
  mark: JSX.Element
  text: string
  id?: string
  meta: string
  /** The ids and names that mean exactly this hit. */
  names?: readonly string[]
}
type Found = readonly Group<Hit>[]

/**
 * The search field of every page. It finds letters by any id and by recipient, and runs, consumers and callbacks.
 * `/` and Ctrl-K focus it. A search term may be a name, so it is in no URL.
 */
export function Search(): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  const [term, setTerm] = useState('')
  const [found, setFound] = useState<Found | undefined>()
  const [chosen, choose] = useState(0)
  const [isOpen, open] = useState(false)
  const hits = hitsOf(found)

  // before the field is shown, so that the first key counts
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])

  useEffect(() => {
    const wanted = term.trim()
    setFound(undefined)
    choose(0)
    if (wanted.length < 2) return
    let isOld = false
    const timer = setTimeout(async () => {
      const results = await find(wanted)
      if (!isOld) setFound(results)
    }, pauseMs)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [term])

  async function enter({ isList }: { isList: boolean }): Promise<void> {
    const wanted = term.trim()
    if (wanted === '') return
    const results = found ?? (await find(wanted))
    const hit = hitsOf(results)[chosen]
    if (hit && !isList) return location.assign(hit.path)
    keepTerm(wanted)
    location.assign('/print-jobs')
  }

  function press(event: KeyboardEvent): void {
    if (event.key === 'Escape') open(false)
    if (event.key === 'Enter') void enter({ isList: event.ctrlKey || event.metaKey })
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || hits.length === 0) return
    event.preventDefault()
    choose((chosen + step + hits.length) % hits.length)
  }

  const isShown = isOpen && term.trim().length >= 2
  return h(
    'div',
    {
      role: 'search',
      onFocusOut: (event: FocusEvent) => {
        const next = event.relatedTarget
        if (!(next instanceof Node && (event.currentTarget as Node).contains(next))) open(false)
      },
    },
    icon('search', 'i'),
    h('input', {
      ref: field,
      type: 'search',
      role: 'combobox',
      'aria-label': 'Find a letter, recipient, run, callback or consumer',
      'aria-expanded': isShown,
      'aria-controls': 'hits',
      'aria-autocomplete': 'list',
      ...(isShown && hits.length > 0 && { 'aria-activedescendant': `hit-${chosen}` }),
      placeholder,
      maxLength: 255,
      autoComplete: 'off',
      spellcheck: false,
      value: term,
      onInput: (event: Event) => {
        setTerm((event.currentTarget as HTMLInputElement).value)
        open(true)
      },
      onFocus: () => open(true),
      onKeyDown: press,
    }),
    h('kbd', { 'aria-hidden': 'true' }, '/'),
    h('div', { id: 'hits', class: isShown ? 'palette' : 'vh' }, isShown && palette(found, chosen)),
  )
}

function hitsOf(found: Found | undefined): readonly Hit[] {
  return found?.flatMap(({ hits }) => hits) ?? []
}

function isShortcut({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) return true
  return key === '/' && !isTyping(target) && doSingleKeysAct()
}

function palette(found: Found | undefined, chosen: number): JSX.Element[] {
  if (!found) return [h('p', { class: 'group' }, 'Searching …')]
  let first = 0
  return [
    h(
      'div',
      { role: 'listbox', 'aria-label': 'Found' },
      found.map((group) => {
        const shown = groupOf(group, first, chosen)
        first += group.hits.length
        return shown
      }),
    ),
    h(
      'p',
      { class: 'hints' },
      h('span', {}, h('kbd', {}, '↑'), ' ', h('kbd', {}, '↓'), ' choose'),
      h('span', {}, h('kbd', {}, 'Enter'), ' open'),
      h('span', {}, h('kbd', {}, 'Ctrl'), ' ', h('kbd', {}, 'Enter'), ' as a list'),
    ),
  ]
}

function groupOf({ name, hits, failure }: Group<Hit>, first: number, chosen: number): JSX.Element {
  return h(
    'div',
    { role: 'group', 'aria-label': name },
    h('p', { class: 'group', 'aria-hidden': 'true' }, name),
    failure
      ? h('p', { class: 'group' }, failure)
      : hits.length === 0 && h('p', { class: 'group' }, 'Nothing found'),
    hits.map(({ path, mark, text, id, meta }, index) =>
      h(
        'a',
        {
          id: `hit-${first + index}`,
          role: 'option',
          href: path,
          'aria-selected': first + index === chosen,
        },
        mark,
        h('span', {}, text, id && h('span', { class: 'sub mono' }, id)),
        h('span', { class: 'meta' }, meta),
      ),
    ),
  )
}

async function find(term: string): Promise<Found> {
  const [letters, consumers, runs, callbacks] = await Promise.all([
    resultOf('Letters', findLetters(term)),
    resultOf('Consumers', consumerHits(term)),
    resultOf('Runs', digits.test(term) ? findRun(term) : []),
    resultOf('Callbacks', uuid.test(term) ? findCallback(term) : []),
  ])
  const others = [consumers, runs, callbacks]
  const failures = others.flatMap(({ failure }) => failure ?? [])
  return inOrder(term, {
    letters,
    others: {
      hits: others.flatMap(({ hits }) => hits),
      ...(failures.length > 0 && { failure: failures.join(' ') }),
    },
  })
}

async function resultOf(place: string, search: Promise<Hit[]> | Hit[]): Promise<Result<Hit>> {
  try {
    return { hits: await search }
  } catch (error) {
    // a term that cannot name a letter, run or callback finds none
    if (error instanceof Refusal && [400, 404].includes(error.status)) return { hits: [] }
    return { hits: [], failure: `${place} could not be searched. ${messageOf(error)}` }
  }
}

async function findLetters(term: string): Promise<Hit[]> {
  const body = { find: term, limit: lettersShownMax }
  const { printJobs } = await ask<ListedPrintJobsResponse>('POST', '/print-jobs/search', body)
  return printJobs.map((job) => {
    const [shape, tone] = statusMark(job.status)
    const aside = job.deletedAt
      ? ', cancelled'
      : job.parkedAt
        ? ', parked'
        : job.heldAt
          ? ', held'
          : ''
    return {
      path: withQuery('/print-job', { key: job.printJobKey }),
      mark: h('span', { class: tone && `is-${tone}` }, icon(shape, 'g')),
      ...(job.recipientName ? { text: job.recipientName, id: job.id } : { text: job.id }),
      meta: `${job.consumerName}${job.postcode ? `, ${job.postcode}` : ''} · ${statusName(job.status).toLowerCase()}${aside}`,
    }
  })
}

async function consumerHits(term: string): Promise<Hit[]> {
  return findConsumers(term, await readConsumers())
    .slice(0, consumersShownMax)
    .map(({ consumerId, userName, name, disabledAt }) => ({
      path: withQuery('/consumers', { consumer: consumerId }),
      mark: icon('consumers', 'i'),
      text: name,
      meta: `${userName}${disabledAt ? ' · disabled' : ''}`,
      names: [userName, name, consumerId],
    }))
}

/** Batch numbers are in capitals. */
async function findRun(term: string): Promise<Hit[]> {
  const path = `/print-runs/${encodeURIComponent(term.toUpperCase())}`
  const run = await ask<PrintRunDetailsResponse>('GET', path)
  return [
    {
      path: withQuery('/print-runs', { run: run.batchNumber }),
      mark: icon('runs', 'i'),
      text: `Run ${run.batchNumber}`,
      meta: `${runStateName(run.state)} · ${countOf(run.documentCount, 'letter')}`,
      names: [run.batchNumber],
    },
  ]
}

async function findCallback(callbackId: string): Promise<Hit[]> {
  const path = `/callbacks/${encodeURIComponent(callbackId)}`
  const callback = await ask<CallbackSummaryWithLogResponse>('GET', path)
  return [
    {
      path: withQuery('/callbacks', { callback: callback.callbackId }),
      mark: icon('callbacks', 'i'),
      text: `Callback ${callback.callbackId}`,
      meta: `${callback.userName} · ${callback.status.toLowerCase()}`,
      names: [callback.callbackId],
    },
  ]
}
