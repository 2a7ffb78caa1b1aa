import { writeFile } from 'node:fs/promises'
import type { VolumeResponse, VolumesResponse } from '@despatch/contracts/administration/volume'
import { renderVolumesCsv } from '@despatch/contracts/administration/volume-csv'
import { Failure } from '../failure.ts'
import { addingTo } from '../operation-command.ts'
import type { Parts } from '../program.ts'
import { renderTable } from '../table.ts'
import { needed, oneOf, option, parseDay } from './option.ts'

export function addCommands(parts: Parts): void {
  const add = addingTo(parts.program, parts)

  add({
    usage: 'volumes',
    operation: 'reportVolumes',
    route: 'GET /volumes',
    does: 'counts received and despatched print jobs for each consumer and contract',
    options: [
      needed('--from <day>', 'first day of the range, in London: YYYY-MM-DD', parseDay),
      needed('--to <day>', 'last day of the range, inclusive; at most 366 days in all', parseDay),
      oneOf('--by <period>', 'length of each period', ['day', 'month']).default('day'),
      option('--consumer <userName>', 'only contracts of this consumer'),
      option('--csv <file>', 'write the report to this file, replacing an existing one'),
    ],
    give: ({ csv: _, ...range }) => range,
    members: { by: 'groupBy' },
    text: async (report, { csv }: { csv?: string }) => {
      if (csv === undefined) return renderReport(report)
      await write(csv, renderVolumesCsv(report))
      return `The volumes are in ${csv}.`
    },
  })
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
