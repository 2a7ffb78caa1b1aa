import type {
  CreateProviderRequest,
  PrintSiteResponse,
  ProviderResponse,
  ProvidersResponse,
  PutPrintSiteRequest,
  PutProviderRequest,
} from '@despatch/contracts/administration/provider'
import { type Command, Option } from 'commander'
import { Failure } from '../failure.ts'
import type { Run } from '../program.ts'
import type { Session } from '../session.ts'
import { renderTable } from '../table.ts'
import { forRoles } from './for-roles.ts'
import { collect, oneOf, parsePercent, parseWholeNumber } from './option.ts'

type AddOptions = {
  name: string
  exchange?: string
  awaySecondsMax?: number
  location: string[]
}
type SetOptions = { name?: string; exchange?: string; awaySecondsMax?: number | false }
type SiteOptions = {
  enable?: boolean
  disable?: boolean
  share?: number
  reprintsFreeMax?: number
  reprintsFreePercent?: number
}

/** Adds the commands for print providers and their sites. */
export function addProviderCommands(program: Command, run: Run): void {
  const providers = program.command('providers').description('print providers and their sites')

  providers
    .command('list')
    .description('lists print providers with their sites')
    .action(() =>
      run(async (session) => {
        const listed = await session.send<ProvidersResponse>('GET', '/providers')
        return { document: listed, text: renderProviders(listed.providers) }
      }),
    )

  providers
    .command('add <providerId>')
    .description(
      forRoles(
        'createProvider',
        'creates a print provider; its sites receive no work until they are enabled',
      ),
    )
    .requiredOption('--name <name>', 'name of the organisation')
    .requiredOption('--location <name>', 'site where it prints; can be repeated', collect)
    .addOption(exchangeOption())
    .option('--away-seconds-max <number>', awayDescription, parseWholeNumber)
    .action((providerId: string, { location, ...terms }: AddOptions) =>
      run(async (session) => {
        const body = { providerId, ...terms, printLocations: location }
        const request = body satisfies Partial<Record<keyof CreateProviderRequest, unknown>>
        const provider = await session.send<ProviderResponse>('POST', '/providers', request)
        const text = `Print provider ${providerId} was created.\n\n${renderProviders([provider])}`
        return { document: provider, text }
      }),
    )

  providers
    .command('set <providerId>')
    .description(
      forRoles('putProvider', 'changes a print provider; omitted settings stay unchanged'),
    )
    .option('--name <name>', 'name of the organisation')
    .addOption(exchangeOption())
    .option('--away-seconds-max <number>', awayDescription, parseWholeNumber)
    .option('--no-away-seconds-max', 'remove the limit of --away-seconds-max')
    .action((providerId: string, options: SetOptions) =>
      run(async (session) => {
        const terms = withChanges(await findProvider(session, providerId), options)
        const path = pathOf(providerId)
        const provider = await session.send<ProviderResponse>('PUT', path, terms)
        return { document: provider, text: renderProviders([provider]) }
      }),
    )

  addSiteCommands(program, run)
}

const awayDescription = 'seconds without contact before its unclaimed work moves to other sites'

function exchangeOption(): Option {
  return oneOf('--exchange <way>', 'how the provider receives its work', ['http', 'file-drop'])
}

function addSiteCommands(program: Command, run: Run): void {
  const sites = program
    .command('sites')
    .description('sites of print providers and their share of the work')

  sites
    .command('list')
    .description('lists sites with their share, their limits and what they can print')
    .option('--provider <id>', 'only of this print provider')
    .action(({ provider }: { provider?: string }) =>
      run(async (session) => {
        const providers = provider
          ? [await findProvider(session, provider)]
          : (await session.send<ProvidersResponse>('GET', '/providers')).providers
        const listed = providers.flatMap(({ providerId, sites }) =>
          sites.map((site) => ({ providerId, ...site })),
        )
        return { document: { sites: listed }, text: renderSites(listed) }
      }),
    )

  sites
    .command('set <providerId> <printLocation>')
    .description(
      forRoles('putPrintSite', 'changes or creates a site; omitted settings stay unchanged'),
    )
    .addOption(new Option('--enable', 'send work to the site').conflicts('disable'))
    .option('--disable', 'send no more work to the site')
    .option('--share <number>', 'its share of the work, relative to other sites', parseWholeNumber)
    .option(
      '--reprints-free-max <number>',
      'reprints of a print run that require no second person',
      parseWholeNumber,
    )
    .option(
      '--reprints-free-percent <percent>',
      'the same as a percentage of the print run; the larger limit applies',
      parsePercent,
    )
    .action((providerId: string, printLocation: string, options: SiteOptions) =>
      run(async (session) => {
        const { sites } = await findProvider(session, providerId)
        const known = sites.find((site) => site.printLocation === printLocation)
        const path = `${pathOf(providerId)}/sites/${encodeURIComponent(printLocation)}`
        const terms = siteTerms(known, options)
        const site = await session.send<PrintSiteResponse>('PUT', path, terms)
        return { document: site, text: renderSites([{ providerId, ...site }]) }
      }),
    )
}

async function findProvider({ send }: Session, providerId: string): Promise<ProviderResponse> {
  const { providers } = await send<ProvidersResponse>('GET', '/providers')
  const provider = providers.find((one) => one.providerId === providerId)
  if (!provider) throw new Failure(`there is no print provider ${providerId}`, { exitCode: 1 })
  return provider
}

function pathOf(providerId: string): string {
  return `/providers/${encodeURIComponent(providerId)}`
}

function withChanges(
  known: ProviderResponse,
  { name = known.name, exchange = known.exchange, awaySecondsMax }: SetOptions,
): Partial<Record<keyof PutProviderRequest, unknown>> {
  const seconds = awaySecondsMax ?? known.awaySecondsMax
  const isLimited = awaySecondsMax !== false && seconds !== undefined
  return { name, exchange, ...(isLimited && { awaySecondsMax: seconds }) }
}

function siteTerms(
  known: PrintSiteResponse | undefined,
  { enable, disable, ...given }: SiteOptions,
): PutPrintSiteRequest {
  return {
    enabled: enable ?? (disable ? false : (known?.enabled ?? false)),
    share: given.share ?? known?.share ?? 100,
    reprintsFreeMax: given.reprintsFreeMax ?? known?.reprintsFreeMax ?? 10,
    reprintsFreePercent: given.reprintsFreePercent ?? known?.reprintsFreePercent ?? 1,
  }
}

function renderProviders(providers: readonly ProviderResponse[]): string {
  const header = ['provider', 'name', 'exchange', 'away at most', 'last seen']
  const rows = providers.map((provider) => [
    provider.providerId,
    provider.name,
    provider.exchange,
    provider.awaySecondsMax === undefined ? '-' : `${provider.awaySecondsMax} s`,
    provider.lastSeenAt ?? 'never',
  ])
  const sites = providers.flatMap(({ providerId, sites }) =>
    sites.map((site) => ({ providerId, ...site })),
  )
  return `${renderTable(header, rows)}\n\n${renderSites(sites)}`
}

type ListedSite = PrintSiteResponse & { providerId: string }

function renderSites(sites: readonly ListedSite[]): string {
  const header = [
    ...['provider', 'site', 'state', 'share', 'today', 'a day at most', 'reprints free'],
    ...['formats', 'plexes', 'colour', 'sheets at most', 'envelopes', 'methods', 'stationery'],
  ]
  const rows = sites.map(({ capabilities, ...site }) => [
    site.providerId,
    site.printLocation,
    site.enabled ? 'enabled' : 'disabled',
    String(site.share),
    String(site.routedToday),
    String(capabilities.documentsPerDayMax ?? 'any'),
    `${site.reprintsFreeMax} or ${site.reprintsFreePercent} %`,
    capabilities.formats.join(' '),
    capabilities.plexes.join(' '),
    capabilities.colour ? 'yes' : 'no',
    String(capabilities.sheetsMax),
    renderEnvelopes(capabilities),
    capabilities.despatchMethods.join(' '),
    renderStationery(capabilities),
  ])
  return renderTable(header, rows, 'No sites.')
}

function renderEnvelopes({ materials }: ListedSite['capabilities']): string {
  const envelopes = materials?.envelopes?.map(({ name, sheetsMax }) => `${name} to ${sheetsMax}`)
  return envelopes?.join(', ') ?? 'any'
}

function renderStationery({ stationery, materials }: ListedSite['capabilities']): string {
  const weights = new Map(
    materials?.papers?.map((paper) => [paper.stationery, paper.gramsPerSquareMetre]),
  )
  return stationery
    .map((name) => (weights.has(name) ? `${name} (${weights.get(name)} g/m²)` : name))
    .join(' ')
}
