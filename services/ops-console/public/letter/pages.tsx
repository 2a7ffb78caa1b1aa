import type { PrintJobDetailsResponse } from '@despatch/contracts/administration/print-job'
import type { FindingResponse } from '@despatch/contracts/print-request/finding'
import { useEffect, useRef, useState } from 'preact/hooks'
import { askForFile, Refusal } from '../parts/api.ts'
import { Button, Card } from '../parts/elements.tsx'
import { countOf } from '../parts/format.ts'
import { findingsOf } from './standing.tsx'

/** Pages are fetched a little before they become visible. */
const aheadOfSight = '300px'

type Letter = PrintJobDetailsResponse
type Look = { path: string; pages: number | undefined; findings: readonly FindingResponse[] }

/** The pages of a letter as pictures. They are fetched again only if what they depend on changes. */
export function PagesCard({ letter, path }: { letter: Letter; path: string }) {
  const whyNone = reasonForNone(letter)
  const findings = findingsOf(letter)
  const { pages, addressOverriddenAt } = letter
  const inFiles = findings.filter(({ fileId }) => fileId !== undefined)
  const looks = { path: `${path}/proof`, pages, findings }
  return (
    <Card
      title="Pages"
      meta={pages && countOf(pages, 'page')}
      right={<span class="meta">Each look is audited</span>}
      isPadded
    >
      {whyNone ? (
        <p>{whyNone}</p>
      ) : (
        <Pages {...looks} key={JSON.stringify([looks, addressOverriddenAt])} />
      )}
      {inFiles.length > 0 && (
        <>
          <h3>Findings in the files</h3>
          {listOf(inFiles)}
        </>
      )}
    </Card>
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
function Pages(look: Look) {
  const [shown, show] = useState(look.pages ?? 1)
  const [full, open] = useState<Full | undefined>()
  const numbers = Array.from({ length: shown }, (_, index) => index + 1)
  return (
    <div>
      <ol class="pages">
        {numbers.map((number) => (
          <Sheet
            {...look}
            key={number}
            number={number}
            onOpen={open}
            onShown={() =>
              look.pages === undefined && show((before) => Math.max(before, number + 1))
            }
            onAbsent={() => show(number - 1)}
          />
        ))}
      </ol>
      {full && <FullSize {...full} onClose={() => open(undefined)} />}
    </div>
  )
}

type SheetOptions = Look & {
  number: number
  onOpen: (full: Full) => void
  onShown: () => void
  onAbsent: () => void
}

function Sheet({ path, pages, findings, number, onOpen, onShown, onAbsent }: SheetOptions) {
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
  return (
    <li ref={item}>
      {refusal ? (
        <>
          <p>
            Page {number} cannot be shown. {refusal}
          </p>
          <Button onClick={() => void load()} look="small">
            Try page {number} again
          </Button>
        </>
      ) : !address ? (
        <p class="sheet awaited">Page {number} …</p>
      ) : (
        <figure class={hasFault ? 'has-fault' : ''}>
          <button type="button" class="look-closer" onClick={() => onOpen({ address, alt })}>
            <img class="sheet" src={address} alt={alt} />
            <span class="vh">, open in full size</span>
          </button>
          <figcaption>{name}</figcaption>
          {found.length > 0 && listOf(found)}
        </figure>
      )}
    </li>
  )
}

function listOf(findings: readonly FindingResponse[]) {
  return (
    <ul class="findings">
      {findings.map(({ number, rule, detail, severity }) => (
        <li class={severity === 'refusal' ? 'bad' : ''}>
          {number ?? rule}: {detail}
        </li>
      ))}
    </ul>
  )
}

type Full = { address: string; alt: string }

/** Shows a page in full size. Escape closes it, and focus returns to the previous element. */
function FullSize({ address, alt, onClose }: Full & { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} class="page" aria-label={alt} onClose={onClose}>
      <p class="close">
        <Button onClick={() => dialog.current?.close()}>Close</Button>
      </p>
      <div class="scroll" tabIndex={0} role="group" aria-label={`${alt}, scrolls`}>
        <img src={address} alt={alt} />
      </div>
    </dialog>
  )
}
