import { writeFile } from 'node:fs/promises'
import type {
  VolumePeriod,
  VolumeResponse,
  VolumesResponse,
} from '@despatch/contracts/administration/volume'
import { renderVolumesCsv } from '@despatch/contracts/administration/volume-csv'
import type { Command } from 'commander'
import { Failure } from '../failure.ts'
import { findConsumer } from '../find-consumer.ts'
import type { Run } from '../program.ts'
import { renderTable } from '../table.ts'
import { oneOf, parseDay, queryOf } from './option.ts'

type VolumeOptions = {
  from: string
  to: string
  by: VolumePeriod
  consumer?: string
  csv?: string
}

export function addVolumeCommand(program: Command, run: Run): void {
  program
    .command('volumes')
    .description('counts received and despatched print jobs for each consumer and contract')
    .requiredOption('--from <day>', 'first day of the range, in London: YYYY-MM-DD', parseDay)
    .requiredOption(
      '--to <day>',
      'last day of the range, inclusive; at most 366 days in all',
      parseDay,
    )
    .addOption(oneOf('--by <period>', 'length of each period', ['day', 'month']).default('day'))
    .option('--consumer <userName>', 'only contracts of this consumer')
    .option('--csv <file>', 'write the report to this file, replacing an existing one')
    .action(({ from, to, by, consumer, csv }: VolumeOptions) =>
      run(async (session) => {
        const consumerId = consumer && (await findConsumer(session, consumer)).consumerId
        const query = queryOf({ from, to, groupBy: by, consumerId })
        const report = await session.send<VolumesResponse>('GET', `/volumes?${query}`)
        if (csv === undefined) return { document: report, text: renderReport(report) }
        await write(csv, renderVolumesCsv(report))
        return { document: report, text: `The volumes are in ${csv}.` }
      }),
    )
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((cause: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be written (${cause.code})`, { exitCode: 1, cause })
  })
}

const header = [
  'period',
  'consumer',
  'job type',
  'template',
  'accepted',
  'rejected',
  'deleted',
  'letters',
  'sheets',
  'pages',
  'despatched by',
]

function renderReport({ volumes, total }: VolumesResponse): string {
  const rows = volumes.map((volume) => [
    volume.period,
    volume.userName,
    volume.jobType,
    volume.templateReference,
    ...renderCounts(volume),
    volume.despatched.map(renderWay).join(', ') || '-',
  ])
  return renderTable(header, [...rows, ['total', '', '', '', ...renderCounts(total), '']])
}

function renderCounts(counts: VolumesResponse['total']): string[] {
  const { accepted, rejected, deleted, letters, sheets, pages } = counts
  return [accepted, rejected, deleted, letters, sheets, pages].map(String)
}

function renderWay({
  despatchMethod,
  postageClass,
  letters,
}: VolumeResponse['despatched'][number]): string {
  return `${despatchMethod} ${postageClass}: ${letters}`
}
