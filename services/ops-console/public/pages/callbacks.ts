import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import { callbackPage, isOver, standingOf } from '../callbacks/callback.ts'
import { CallbacksPage } from '../callbacks/list.ts'
import { ask, ownQuery } from '../parts/api.ts'
import { beginReading } from '../parts/reading.ts'
import { start } from '../parts/shell.ts'

const { callback: callbackId } = ownQuery()

if (callbackId) showCallback(callbackId)
else start(CallbacksPage)

function showCallback(id: string): void {
  const reading = beginReading<CallbackSummaryWithLogResponse>({
    read: () => ask('GET', `/callbacks/${encodeURIComponent(id)}`),
    standing: standingOf,
    mayChange: (callback) => !isOver(callback),
  })
  start(() => callbackPage(reading))
}
