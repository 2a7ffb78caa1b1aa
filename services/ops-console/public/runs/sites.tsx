import type {
  PrintSiteResponse,
  ProvidersResponse,
} from '@despatch/contracts/administration/provider'
import type { SharePreviewResponse } from '@despatch/contracts/administration/share-preview'
import { signal } from '@preact/signals'
import { ask, Refusal } from '../parts/api.ts'
import { Chip } from '../parts/chips.tsx'
import { Button } from '../parts/elements.tsx'
import { type Given, Input } from '../parts/form.tsx'
import { count, countOf, percent } from '../parts/format.ts'
import { Meter } from '../parts/plot.tsx'
import { askFirst, type Question } from '../parts/question.tsx'
import { whyNotForMe } from '../parts/session.ts'
import { Table, TableCard } from '../parts/table.tsx'

type Site = PrintSiteResponse & { providerId: string; providerName: string }
type Change = { site: Site; share: number }

const shareMax = 1_000
const read = signal<readonly Site[]>([])

export async function readSites(): Promise<readonly Site[]> {
  const { providers } = await ask<ProvidersResponse>('GET', '/providers')
  read.value = providers.flatMap(({ providerId, name, sites }) =>
    sites.map((site) => ({ ...site, providerId, providerName: name })),
  )
  return read.value
}

/** The sites with their shares of the work. Nothing until they have been read. */
export function Sites() {
  const sites = read.value
  if (sites.length === 0) return null
  const whyNot = whyNotForMe('changeShares')
  const total = sites.reduce((sum, { enabled, share }) => sum + (enabled ? share : 0), 0)
  return (
    <TableCard
      title="Sites and shares"
      right={
        whyNot === null && (
          <Button onClick={() => askForShares(sites)} look="small">
            Change shares…
          </Button>
        )
      }
      footer={whyNot && `Change shares: ${whyNot}`}
      columns={[
        'Site',
        { name: 'Share', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Documents today', class: 'num p2' },
        { name: 'Most a day', class: 'num p2' },
        'State',
      ]}
      rows={sites.map((site) => {
        const { enabled, share, capabilities, routedToday } = site
        const part = enabled ? share : 0
        return [
          [
            site.printLocation,
            <span class="sub">{site.providerName}</span>,
            <span class="sub only-s">{countOf(routedToday, 'document')} today</span>,
          ],
          [count(share), <span class="sub">{percent(part, total)}</span>],
          <Meter part={part} all={total} name={`${nameOf(site)}, share of the work`} />,
          count(routedToday),
          capabilities.documentsPerDayMax === undefined
            ? null
            : count(capabilities.documentsPerDayMax),
          <Chip look={enabled ? ['despatched', 'ok', 'Enabled'] : ['deleted', '', 'Disabled']} />,
        ]
      })}
    />
  )
}

function nameOf({ providerId, printLocation }: Pick<Site, 'providerId' | 'printLocation'>): string {
  return `${providerId}, ${printLocation}`
}

/** Nothing changes until the operator has seen what the new shares mean. */
function askForShares(sites: readonly Site[]): void {
  askFirst({
    title: 'Change the shares of sites',
    button: 'Preview…',
    points: ['Shares are relative to each other. Runs that are open already are not moved.'],
    fields: sites.map((site, index) => (
      <Input
        name={`share-${index}`}
        label={nameOf(site)}
        value={site.share}
        type="number"
        min={0}
        max={shareMax}
        required
        class="short"
      />
    )),
    onSend: async (given) => {
      const changes = changesOf(sites, given, await readSites())
      if (changes.length === 0) throw new Refusal(0, 'No share is different.')
      const preview = await ask<SharePreviewResponse>('POST', '/print-sites/preview', {
        sites: changes.map(toRequest),
      })
      return { next: toSave(changes, preview) }
    },
  })
}

/** Returns the sites as they are now whose share in the form differs. */
function changesOf(asked: readonly Site[], given: Given, now: readonly Site[]): Change[] {
  return asked
    .map((site, index) => ({ site: sameSite(site, now), share: Number(given[`share-${index}`]) }))
    .filter(({ site, share }) => site.share !== share)
}

/** Throws a Refusal if the site is gone. */
function sameSite(site: Site, sites: readonly Site[]): Site {
  const name = nameOf(site)
  const found = sites.find((each) => nameOf(each) === name)
  if (!found) throw new Refusal(0, `Site ${name} no longer exists. Reload the page.`)
  return found
}

function toSave(changes: readonly Change[], preview: SharePreviewResponse): Question {
  const { before, after } = preview.unroutablePerDay
  const sites = countOf(changes.length, 'site')
  return {
    title: `Change the share of ${sites}?`,
    button: `Change ${sites}`,
    points: [
      preview.documentsPerDay === 0
        ? 'No document was gathered in the last days, so the shares cannot be compared.'
        : `The last days had ${countOf(preview.documentsPerDay, 'document')} a day. They would go as shown.`,
      (before > 0 || after > 0) &&
        `Documents a day that no site could print: ${fromTo(before, after)}.`,
      'Runs that are open already are not moved.',
    ],
    details: (
      <Table
        caption="Documents a day, before and after"
        columns={[
          'Site',
          { name: 'Share', class: 'num' },
          { name: 'Documents a day', class: 'num' },
          { name: 'Most a day', class: 'num' },
        ]}
        rows={preview.sites.map((site) => [
          nameOf(site),
          fromTo(site.before.share, site.after.share),
          fromTo(site.before.documentsPerDay, site.after.documentsPerDay),
          site.documentsPerDayMax === undefined ? null : count(site.documentsPerDayMax),
        ])}
      />
    ),
    onSend: async () => {
      // A site that was enabled or disabled after the preview keeps all shares as they are.
      await ask('PUT', '/print-sites/shares', { sites: changes.map(toRequest) })
      return { done: `Done: the share of ${sites} is changed.`, again: readSites }
    },
  }
}

/** The terms of a site for the requests that preview and change shares. */
const toRequest = ({ site: { providerId, printLocation, enabled }, share }: Change) => ({
  providerId,
  printLocation,
  enabled,
  share,
})

function fromTo(before: number, after: number): string {
  return before === after ? count(before) : `${count(before)} → ${count(after)}`
}
