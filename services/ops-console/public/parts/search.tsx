import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import type { ListedPrintJobsResponse } from '@despatch/contracts/administration/print-job'
import type { PrintRunDetailsResponse } from '@despatch/contracts/administration/print-run'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ask, messageOf, Refusal, withQuery } from './api.ts'
import { runStateName, statusMark, statusName } from './chips.tsx'
import { findConsumers, readConsumers } from './consumers.ts'
import { Icon } from './elements.tsx'
import { countOf } from './format.ts'
import { doSingleKeysAct, isTyping } from './keyboard.tsx'
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
export function Search() {
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
  return (
    <div
      role="search"
      onFocusOut={(event) => {
        const next = event.relatedTarget
        if (!(next instanceof Node && event.currentTarget.contains(next))) open(false)
      }}
    >
      <Icon name="search" kind="i" />
      <input
        ref={field}
        type="search"
        role="combobox"
        // the types ask for the list of a combobox of the browser
        list={undefined}
        aria-label="Find a letter, recipient, run, callback or consumer"
        aria-expanded={isShown}
        aria-controls="hits"
        aria-autocomplete="list"
        aria-activedescendant={isShown && hits.length > 0 ? `hit-${chosen}` : undefined}
        placeholder={placeholder}
        maxLength={255}
        autoComplete="off"
        spellcheck={false}
        value={term}
        onInput={(event) => {
          setTerm(event.currentTarget.value)
          open(true)
        }}
        onFocus={() => open(true)}
        onKeyDown={press}
      />
      <kbd aria-hidden="true">/</kbd>
      <div id="hits" class={isShown ? 'palette' : 'vh'}>
        {isShown && palette(found, chosen)}
      </div>
    </div>
  )
}

function hitsOf(found: Found | undefined): readonly Hit[] {
  return found?.flatMap(({ hits }) => hits) ?? []
}

function isShortcut({ key, ctrlKey, metaKey, target }: KeyboardEvent): boolean {
  if (key.toLowerCase() === 'k' && (ctrlKey || metaKey)) return true
  return key === '/' && !isTyping(target) && doSingleKeysAct()
}

function palette(found: Found | undefined, chosen: number) {
  if (!found) return <p class="group">Searching …</p>
  let first = 0
  return (
    <>
      <div role="listbox" aria-label="Found">
        {found.map((group) => {
          const shown = groupOf(group, first, chosen)
          first += group.hits.length
          return shown
        })}
      </div>
      <p class="hints">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>Ctrl</kbd> <kbd>Enter</kbd> as a list
        </span>
      </p>
    </>
  )
}

function groupOf({ name, hits, failure }: Group<Hit>, first: number, chosen: number) {
  return (
    <div role="group" aria-label={name}>
      <p class="group" aria-hidden="true">
        {name}
      </p>
      {failure ? (
        <p class="group">{failure}</p>
      ) : (
        hits.length === 0 && <p class="group">Nothing found</p>
      )}
      {hits.map(({ path, mark, text, id, meta }, index) => (
        <a
          id={`hit-${first + index}`}
          role="option"
          href={path}
          aria-selected={first + index === chosen}
        >
          {mark}
          <span>
            {text}
            {id && <span class="sub mono">{id}</span>}
          </span>
          <span class="meta">{meta}</span>
        </a>
      ))}
    </div>
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
      mark: (
        <span class={tone && `is-${tone}`}>
          <Icon name={shape} kind="g" />
        </span>
      ),
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
      mark: <Icon name="consumers" kind="i" />,
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
      mark: <Icon name="runs" kind="i" />,
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
      mark: <Icon name="callbacks" kind="i" />,
      text: `Callback ${callback.callbackId}`,
      meta: `${callback.userName} · ${callback.status.toLowerCase()}`,
      names: [callback.callbackId],
    },
  ]
}
