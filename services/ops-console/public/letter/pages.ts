import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import { h, type JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { askForFile, Refusal } from '../parts/api.ts'
import { body, button, card } from '../parts/elements.ts'
import { countOf } from '../parts/format.ts'
import { findingsOf } from './standing.ts'

/** Pages are fetched a little before they become visible. */
const aheadOfSight = '300px'

type Letter = PrintJobDetailsResponse
type Look = { path: string; pages: number | undefined; findings: readonly FindingResponse[] }

/** Returns the pages of a letter as pictures. They are fetched again only if what they depend on changes. */
export function pagesOf(letter: Letter, path: string): JSX.Element {
  const whyNone = reasonForNone(letter)
  const findings = findingsOf(letter)
  const { pages, addressOverriddenAt } = letter
  const inFiles = findings.filter(({ fileId }) => fileId !== undefined)
  const looks = { path: `${path}/proof`, pages, findings }
  return card(
    {
      title: 'Pages',
      meta: pages && countOf(pages, 'page'),
      right: h('span', { class: 'meta' }, 'Each look is audited'),
    },
    body(
      whyNone
        ? h('p', {}, whyNone)
        : h(Pages, { ...looks, key: JSON.stringify([looks, addressOverriddenAt]) }),
      inFiles.length > 0 && [h('h3', {}, 'Findings in the files'), listOf(inFiles)],
    ),
  )
}

function reasonForNone({ status, purgedAt }: Letter): string | null {
  if (purgedAt) return 'The letter was deleted because its retention period has ended.'
  if (status === 'QUARANTINE' || status === 'VALIDATING') {
    return 'The letter is not ready: its files are still being checked.'
  }
  return null
}

/** A rejected letter has no page count, so pages are added one after the other until there are no more. */
function Pages(look: Look): JSX.Element {
  const [shown, show] = useState(look.pages ?? 1)
  const [full, open] = useState<Full | undefined>()
  const numbers = Array.from({ length: shown }, (_, index) => index + 1)
  return h(
    'div',
    {},
    h(
      'ol',
      { class: 'pages' },
      numbers.map((number) =>
        h(Sheet, {
          ...look,
          key: number,
          number,
          onOpen: open,
          onShown: () => look.pages === undefined && show((before) => Math.max(before, number + 1)),
          onAbsent: () => show(number - 1),
        }),
      ),
    ),
    full && h(FullSize, { ...full, onClose: () => open(undefined) }),
  )
}

type SheetOptions = Look & {
  number: number
  onOpen: (full: Full) => void
  onShown: () => void
  onAbsent: () => void
}

function Sheet({
  path,
  pages,
  findings,
  number,
  onOpen,
  onShown,
  onAbsent,
}: SheetOptions): JSX.Element {
  const item = useRef<HTMLLIElement>(null)
  const [address, setAddress] = useState<string | undefined>()
  const [refusal, refuse] = useState('')

  async function load(): Promise<void> {
    refuse('')
    try {
      const picture = await askForFile(`${path}/${number}.png`)
      setAddress(URL.createObjectURL(picture))
      onShown()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.status === 404 && number > 1) onAbsent()
      else refuse(error.message)
    }
  }

  useEffect(() => {
    const sight = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return
        sight.disconnect()
        void load()
      },
      { rootMargin: aheadOfSight },
    )
    sight.observe(item.current!)
    return () => sight.disconnect()
  }, [])
  useEffect(() => () => address && URL.revokeObjectURL(address), [address])

  const name = pages === undefined ? `Page ${number}` : `Page ${number} of ${pages}`
  const alt = `${name} of the letter`
  const found = findings.filter(({ fileId, page = 1 }) => fileId === undefined && page === number)
  const hasFault = found.some(({ severity }) => severity === 'refusal')
  return h(
    'li',
    { ref: item },
    refusal
      ? [
          h('p', {}, `Page ${number} cannot be shown. ${refusal}`),
          button(`Try page ${number} again`, () => void load(), { look: 'small' }),
        ]
      : !address
        ? h('p', { class: 'sheet awaited' }, `Page ${number} …`)
        : h(
            'figure',
            { class: hasFault ? 'has-fault' : '' },
            h(
              'button',
              { type: 'button', class: 'look-closer', onClick: () => onOpen({ address, alt }) },
              h('img', { class: 'sheet', src: address, alt }),
              h('span', { class: 'vh' }, ', open in full size'),
            ),
            h('figcaption', {}, name),
            found.length > 0 && listOf(found),
          ),
  )
}

function listOf(findings: readonly FindingResponse[]): JSX.Element {
  return h(
    'ul',
    { class: 'findings' },
    findings.map(({ number, rule, detail, severity }) =>
      h('li', { class: severity === 'refusal' ? 'bad' : '' }, `${number ?? rule}: ${detail}`),
    ),
  )
}

type Full = { address: string; alt: string }

/** Shows a page in full size. Escape closes it, and focus returns to the previous element. */
function FullSize({ address, alt, onClose }: Full & { onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return h(
    'dialog',
    { ref: dialog, class: 'page', 'aria-label': alt, onClose },
    h(
      'p',
      { class: 'close' },
      button('Close', () => dialog.current?.close()),
    ),
    h(
      'div',
      { class: 'scroll', tabIndex: 0, role: 'group', 'aria-label': `${alt}, scrolls` },
      h('img', { src: address, alt }),
    ),
  )
}
