import type {
  PrintSiteResponse,
  ProviderResponse,
  ProvidersResponse,
  PutPrintSiteRequest,
  PutProviderRequest,
} from '@despatch/contracts/administration/provider'
import { Failure } from '../failure.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import type { Session } from '../session.ts'
import { type Columns, renderRows } from '../table.ts'
import { collect, needed, oneOf, option, parsePercent, parseWholeNumber } from './option.ts'

type SetOptions = { name?: string; exchange?: string; awaySecondsMax?: number | false }
type SiteOptions = {
  enable?: boolean
  disable?: boolean
  share?: number
  reprintsFreeMax?: number
  reprintsFreePercent?: number
}

/** Adds the commands for print providers and their sites. */
export function addCommands(parts: Parts): void {
  const { program, run } = parts
  const providers = program.command('providers').description('print providers and their sites')
  const add = addingTo(providers, parts)

  add({
    usage: 'list',
    operation: 'listProviders',
    route: 'GET /providers',
    does: 'lists print providers with their sites',
    text: ({ providers }) => renderProviders(providers),
  })
  add({
    usage: 'add <providerId>',
    operation: 'createProvider',
    route: 'POST /providers',
    does: 'creates a print provider; its sites receive no work until they are enabled',
    options: [
      needed('--name <name>', 'name of the organisation'),
      needed('--location <name>', 'site where it prints; can be repeated', collect),
      ...termOptions(),
    ],
    members: { location: 'printLocations' },
    text: (provider) =>
      `Print provider ${provider.providerId} was created.\n\n${renderProviders([provider])}`,
  })
  add({
    usage: 'set <providerId>',
    operation: 'putProvider',
    route: 'PUT /providers/:providerId',
    does: 'changes a print provider; omitted settings stay unchanged',
    options: [
      option('--name <name>', 'name of the organisation'),
      ...termOptions(),
      option('--no-away-seconds-max', 'remove the limit of --away-seconds-max'),
    ],
    send: async ({ session, path }, given: SetOptions & { providerId: string }) => {
      const known = await findProvider(session, given.providerId)
      return session.send('PUT', path, withChanges(known, given))
    },
    text: (provider) => renderProviders([provider]),
  })

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
          : await listProviders(session)
        const sites = sitesOf(providers)
        return { document: { sites }, text: renderSites(sites) }
      }),
    )
  const addToSites = addingTo(sites, parts)
  addToSites({
    usage: 'set <providerId> <printLocation>',
    operation: 'putPrintSite',
    route: 'PUT /providers/:providerId/sites/:printLocation',
    does: 'changes or creates a site; omitted settings stay unchanged',
    options: [
      option('--enable', 'send work to the site').conflicts('disable'),
      option('--disable', 'send no more work to the site'),
      option(
        '--share <number>',
        'its share of the work, relative to other sites',
        parseWholeNumber,
      ),
      option(
        '--reprints-free-max <number>',
        'reprints of a print run that require no second person',
        parseWholeNumber,
      ),
      option(
        '--reprints-free-percent <percent>',
        'the same as a percentage of the print run; the larger limit applies',
        parsePercent,
      ),
    ],
    send: async (
      { session, path },
      { providerId, printLocation, ...given }: Site & SiteOptions,
    ) => {
      const { sites } = await findProvider(session, providerId)
      const known = sites.find((site) => site.printLocation === printLocation)
      return session.send('PUT', path, siteTerms(known, given))
    },
    text: (site, { providerId }: Site) => renderSites([{ providerId, ...site }]),
  })
}

type Site = { providerId: string; printLocation: string }

function termOptions() {
  return [
    oneOf('--exchange <way>', 'how the provider receives its work', ['http', 'file-drop']),
    option(
      '--away-seconds-max <number>',
      'seconds without contact before its unclaimed work moves to other sites',
      parseWholeNumber,
    ),
  ]
}

async function listProviders({ send }: Session): Promise<ProviderResponse[]> {
  return (await send<ProvidersResponse>('GET', '/providers')).providers
}

async function findProvider(session: Session, providerId: string): Promise<ProviderResponse> {
  const providers = await listProviders(session)
  const provider = providers.find((one) => one.providerId === providerId)
  if (!provider) throw new Failure(`there is no print provider ${providerId}`, { exitCode: 1 })
  return provider
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
  const table = renderRows(providers, {
    provider: 'providerId',
    name: 'name',
    exchange: 'exchange',
    'away at most': ({ awaySecondsMax }) => awaySecondsMax && `${awaySecondsMax} s`,
    'last seen': ({ lastSeenAt }) => lastSeenAt ?? 'never',
  })
  return `${table}\n\n${renderSites(sitesOf(providers))}`
}

type ListedSite = PrintSiteResponse & { providerId: string }

function sitesOf(providers: readonly ProviderResponse[]): ListedSite[] {
  return providers.flatMap(({ providerId, sites }) =>
    sites.map((site) => ({ providerId, ...site })),
  )
}

function renderSites(sites: readonly ListedSite[]): string {
  const columns = {
    provider: 'providerId',
    site: 'printLocation',
    state: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
    share: 'share',
    today: 'routedToday',
    'a day at most': ({ capabilities }) => capabilities.documentsPerDayMax ?? 'any',
    'reprints free': (site) => `${site.reprintsFreeMax} or ${site.reprintsFreePercent} %`,
    formats: ({ capabilities }) => capabilities.formats,
    plexes: ({ capabilities }) => capabilities.plexes,
    colour: ({ capabilities }) => (capabilities.colour ? 'yes' : 'no'),
    'sheets at most': ({ capabilities }) => capabilities.sheetsMax,
    envelopes: ({ capabilities }) => renderEnvelopes(capabilities),
    methods: ({ capabilities }) => capabilities.despatchMethods,
    stationery: ({ capabilities }) => renderStationery(capabilities),
  } satisfies Columns<ListedSite>
  return renderRows(sites, columns, 'No sites.')
}

function renderEnvelopes({ materials }: ListedSite['capabilities']): string {
  const envelopes = materials?.envelopes?.map(({ name, sheetsMax }) => `${name} to ${sheetsMax}`)
  return envelopes?.join(', ') ?? 'any'
}

function renderStationery({ stationery, materials }: ListedSite['capabilities']): string[] {
  const weights = new Map(
    materials?.papers?.map((paper) => [paper.stationery, paper.gramsPerSquareMetre]),
  )
  return stationery.map((name) =>
    weights.has(name) ? `${name} (${weights.get(name)} g/m²)` : name,
  )
}
