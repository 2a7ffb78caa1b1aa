import type {
  PrintSiteResponse,
  ProvidersResponse,
} from '@despatch/contracts/administration/provider'
import type { SharePreviewResponse } from '@despatch/contracts/administration/share-preview'
import { signal } from '@preact/signals'
import { h, type JSX } from 'preact'
import { ask, Refusal } from '../parts/api.ts'
import { chip } from '../parts/chips.ts'
import { button, card } from '../parts/elements.ts'
import { type Given, input } from '../parts/form.ts'
import { count, countOf, percent } from '../parts/format.ts'
import { meter } from '../parts/plot.ts'
import { askFirst, type Question } from '../parts/question.ts'
import { whyNotForMe } from '../parts/session.ts'
import { table } from '../parts/table.ts'

type Site = PrintSiteResponse & { providerId: string; providerName: string }
type Change = { site: Site; share: number }

const shareMax = 1_000
const read = signal<readonly Site[]>([])

export async function readSites(): Promise<void> {
  const { providers } = await ask<ProvidersResponse>('GET', '/providers')
  read.value = providers.flatMap(({ providerId, name, sites }) =>
    sites.map((site) => ({ ...site, providerId, providerName: name })),
  )
}

/** Returns the sites with their shares of the work. Nothing until they have been read. */
export function sitesCard(): JSX.Element | null {
  const sites = read.value
  if (sites.length === 0) return null
  const whyNot = whyNotForMe('putPrintSite')
  const total = sites.reduce((sum, { enabled, share }) => sum + (enabled ? share : 0), 0)
  return card(
    {
      title: 'Sites and shares',
      right:
        whyNot === null && button('Change shares…', () => askForShares(sites), { look: 'small' }),
      footer: whyNot && `Change shares: ${whyNot}`,
    },
    table({
      caption: 'Sites and shares',
      columns: [
        'Site',
        { name: 'Share', class: 'num' },
        { name: 'Bar', class: 'p2 wide-cell', isHidden: true },
        { name: 'Documents today', class: 'num' },
        { name: 'Most a day', class: 'num p2' },
        'State',
      ],
      rows: sites.map((site) => {
        const { enabled, share, capabilities, routedToday } = site
        const part = enabled ? share : 0
        return [
          [site.printLocation, h('span', { class: 'sub' }, site.providerName)],
          [count(share), h('span', { class: 'sub' }, percent(part, total))],
          meter(part, total, `${nameOf(site)}, share of the work`),
          count(routedToday),
          capabilities.documentsPerDayMax === undefined
            ? null
            : count(capabilities.documentsPerDayMax),
          enabled ? chip(['despatched', 'ok', 'Enabled']) : chip(['deleted', '', 'Disabled']),
        ]
      }),
    }),
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
    fields: sites.map((site, index) =>
      input(`share-${index}`, nameOf(site), {
        value: site.share,
        type: 'number',
        min: 0,
        max: shareMax,
        required: true,
        class: 'short',
      }),
    ),
    onSend: async (given) => {
      const changes = changesOf(sites, given)
      if (changes.length === 0) throw new Refusal(0, 'No share is different.')
      const asked = changes.map(({ site: { providerId, printLocation, enabled }, share }) => ({
        ...{ providerId, printLocation, enabled, share },
      }))
      const preview = await ask<SharePreviewResponse>('POST', '/print-sites/preview', {
        sites: asked,
      })
      return { next: toSave(changes, preview) }
    },
  })
}

function changesOf(sites: readonly Site[], given: Given): Change[] {
  return sites
    .map((site, index) => ({ site, share: Number(given[`share-${index}`]) }))
    .filter(({ site, share }) => site.share !== share)
}

function toSave(changes: readonly Change[], preview: SharePreviewResponse): Question {
  const { before, after } = preview.unroutablePerDay
  const sites = countOf(changes.length, 'site')
  return {
    title: `Change the share of ${sites}?`,
    button: `Change ${sites}`,
    points: [
      `On an average of the last days, ${countOf(preview.documentsPerDay, 'document')} a day would go as shown.`,
      (before > 0 || after > 0) &&
        `No site can print ${countOf(after, 'document')} a day of them; it is ${count(before)} now.`,
      'Runs that are open already are not moved.',
    ],
    details: table({
      caption: 'Documents a day, before and after',
      columns: [
        'Site',
        { name: 'Share', class: 'num' },
        { name: 'Documents a day', class: 'num' },
        { name: 'Most a day', class: 'num' },
      ],
      rows: preview.sites.map((site) => [
        nameOf(site),
        fromTo(site.before.share, site.after.share),
        fromTo(site.before.documentsPerDay, site.after.documentsPerDay),
        site.documentsPerDayMax === undefined ? null : count(site.documentsPerDayMax),
      ]),
    }),
    onSend: async () => {
      for (const { site, share } of changes) {
        const { providerId, printLocation, enabled, reprintsFreeMax, reprintsFreePercent } = site
        const path = `/providers/${encodeURIComponent(providerId)}/sites/${encodeURIComponent(printLocation)}`
        await ask('PUT', path, { enabled, share, reprintsFreeMax, reprintsFreePercent })
      }
      return { done: `Done: the share of ${sites} is changed.`, again: readSites }
    },
  }
}

function fromTo(before: number, after: number): string {
  return before === after ? count(before) : `${count(before)} → ${count(after)}`
}
