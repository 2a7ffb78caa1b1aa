import { nameOf } from './operations.ts'
import { renderRequest } from './render-request.ts'
import { type ContractFuzzReport, isSound } from './run-contract-fuzz.ts'

const mebibyte = 1024 * 1024

export function renderReport(report: ContractFuzzReport, seed: number): string {
  const { requests, seconds, counts, findings, memory } = report
  const { early, late, heapBytesMax } = memory
  const mib = (bytes: number) => `${Math.round(bytes / mebibyte)} MiB`
  const lines = [
    `${requests} requests of seed ${seed} in ${seconds.toFixed(0)} s`,
    ...Object.entries(counts)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, statuses]) => `  ${name}: ${renderCounts(statuses)}`),
    `all operations: ${renderCounts(sum(Object.values(counts)))}`,
    `heap after collecting: ${mib(early.heapBytes)} early, ${mib(late.heapBytes)} at the end, at most ${mib(heapBytesMax)}; resident ${mib(early.rssBytes)} and ${mib(late.rssBytes)}`,
    ...findings.flatMap(({ operation, rule, detail, request, index, seen }) => [
      `FOUND ${nameOf(operation)} breaks "${rule}": ${detail} (${seen} times, first request ${index})`,
      `  ${renderRequest(request)}`,
    ]),
    isSound(report) ? 'every answer is as documented' : `${findings.length} findings`,
  ]
  return `${lines.join('\n')}\n`
}

function renderCounts(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status} ×${count}`)
    .join(', ')
}

function sum(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {}
  for (const statuses of all) {
    for (const [status, count] of Object.entries(statuses)) {
      total[status] = (total[status] ?? 0) + count
    }
  }
  return total
}
