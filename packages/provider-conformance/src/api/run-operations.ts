import { renderAcknowledgement } from '@despatch/contracts/print-fulfilment/acknowledgement'
import {
  chooseManifestFormat,
  manifestHeaders,
  manifestTag,
} from '@despatch/contracts/print-fulfilment/manifest-format'
import {
  acknowledgePrintRun,
  claimPrintRun,
  getManifest,
  listPrintRuns,
  renewLease as renewLeaseOperation,
} from '@despatch/contracts/print-fulfilment/operations'
import { renderPrintRuns } from '@despatch/contracts/print-fulfilment/print-run'
import type { Api } from '@despatch/http/api'
import { acknowledgeRun } from '../platform/acknowledge.ts'
import { claimRun, renewLease } from '../platform/claims.ts'
import { manifestOf, renderManifestText } from '../platform/manifest.ts'
import { getClaimedRun, getRun, type Platform } from '../platform/platform.ts'
import { liveDocuments, type PlatformRun, stateOf, totalsOf } from '../platform/platform-run.ts'

const leaseSecondsStandard = 900

/** Adds the operations from the list to the acknowledgement. */
export function addRunOperations(api: Api, platform: Platform): void {
  const leaseSecondsOf = (run: PlatformRun, body: { leaseSeconds?: number } | null | undefined) =>
    run.quirks.leaseSeconds ?? body?.leaseSeconds ?? leaseSecondsStandard

  api.route({
    ...listPrintRuns,
    handler: async ({ query }) => {
      const now = platform.now()
      const runs = [...platform.runs.values()]
        .filter((run) => run.isOffered && run.batchNumber > (query.cursor ?? ''))
        .filter((run) => query.state === undefined || stateOf(run, now) === query.state)
        .filter((run) => [undefined, run.printLocation].includes(query.printLocation))
        .filter((run) => [undefined, run.despatchMethod].includes(query.despatchMethod))
      const page = runs.slice(0, query.limit).map((run) => storedRun(run, now))
      return renderPrintRuns(page, { limit: query.limit })
    },
  })

  api.route({
    ...claimPrintRun,
    handler: async ({ params, headers, body }, reply) => {
      const run = getRun(platform, params.batchNumber)
      const response = claimRun(run, {
        key: headers['idempotency-key'],
        body: body ?? {},
        leaseSeconds: leaseSecondsOf(run, body),
        now: platform.now(),
      })
      return reply.type('application/json; charset=utf-8').send(Buffer.from(response) as never)
    },
  })

  api.route({
    ...renewLeaseOperation,
    handler: async ({ params: { batchNumber }, body }) => {
      const run = getRun(platform, batchNumber)
      const now = platform.now()
      const until = renewLease(run, { leaseSeconds: leaseSecondsOf(run, body), now })
      return { batchNumber, leaseUntil: until.toISOString() }
    },
  })

  api.route({
    ...getManifest,
    exposeHeadRoute: true,
    handler: async ({ params, query, headers, method }, reply) => {
      const run = getClaimedRun(platform, params.batchNumber)
      const manifest = manifestOf(run)
      const format = query.format ?? chooseManifestFormat(headers.accept)
      const isCorrupted = method === 'GET' && takeCorruption(run)
      if (!isCorrupted) {
        const tag = manifestTag(manifest.manifestDigest, format)
        reply.headers({ etag: tag, vary: 'Accept', 'cache-control': 'private, no-cache' })
        if (headers['if-none-match'] === tag) return reply.code(304).send(null)
      }
      const text = await renderManifestText(run, { format, isCorrupted })
      return reply.headers(manifestHeaders(manifest, format)).send(Buffer.from(text) as never)
    },
  })

  api.route({
    ...acknowledgePrintRun,
    handler: async ({ params: { batchNumber }, body }) => {
      const run = getRun(platform, batchNumber)
      const { state, refusedCount, at } = acknowledgeRun(run, body, platform.now())
      const acceptedCount = liveDocuments(run).length - refusedCount
      return renderAcknowledgement({
        batchNumber,
        state,
        acceptedCount,
        refusedCount,
        acknowledgedAt: at,
      })
    },
  })
}

function takeCorruption({ quirks }: PlatformRun): boolean {
  if (!quirks.corruptedManifests) return false
  quirks.corruptedManifests -= 1
  return true
}

function storedRun(run: PlatformRun, now: Date) {
  const { claimedAt, leaseUntil, acknowledgement, closedAt } = run
  return {
    batchNumber: run.batchNumber,
    state: stateOf(run, now),
    printLocation: run.printLocation,
    despatchMethod: run.despatchMethod,
    format: run.format,
    stationery: run.stationery,
    plex: run.plex,
    colour: run.colour,
    printEpoch: run.printEpoch,
    expectedDespatchDate: null,
    manifestVersion: run.manifestVersion,
    ...totalsOf(liveDocuments(run)),
    releasedAt: run.releasedAt,
    claimedAt: claimedAt ?? null,
    leaseUntil: acknowledgement ? null : (leaseUntil ?? null),
    acknowledgedAt: acknowledgement?.at ?? null,
    postedAt: null,
    closedAt: closedAt ?? null,
  }
}
