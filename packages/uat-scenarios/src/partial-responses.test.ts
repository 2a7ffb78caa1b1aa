import { expect, test } from 'vitest'
import type { SourceBehaviour } from './driver-scenario.ts'
import { type PartialAcceptance, partialResponseStatus } from './partial-responses.ts'

test.each<[SourceBehaviour, SourceBehaviour, PartialAcceptance, number]>([
  ['answers', 'answers', 'false', 200],
  ['answers', 'fails', 'false', 502],
  ['unavailable', 'answers', 'false', 503],
  ['answers', 'times-out', 'false', 504],
  ['fails', 'unavailable', 'false', 503],
  ['times-out', 'unavailable', 'false', 504],
  ['times-out', 'fails', 'true', 200],
  ['answers', 'fails', 'onConditionCPCAvailable', 200],
  ['fails', 'answers', 'onConditionCPCAvailable', 502],
  ['fails', 'answers', 'onConditionTachoAvailable', 200],
  ['answers', 'unavailable', 'onConditionTachoAvailable', 503],
  ['fails', 'times-out', 'onConditionTachoAvailable', 504],
])('CPC %s, tachograph %s, accepting %s: %d', (cpc, tachograph, accepts, status) => {
  expect(partialResponseStatus({ cpc, tachograph }, accepts)).toBe(status)
})
