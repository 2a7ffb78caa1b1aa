import type { CallbackSummaryWithLogResponse } from '@despatch/contracts/administration/callback'
import { CallbackPage, isOver, standingOf } from '../callbacks/callback.tsx'
import { CallbacksPage } from '../callbacks/list.tsx'
import { ask, ownQuery } from '../parts/api.ts'
import { beginReading } from '../parts/reading.tsx'
import { start } from '../parts/shell.tsx'

const { callback: callbackId } = ownQuery()

if (callbackId) showCallback(callbackId)
else start(CallbacksPage)

function showCallback(id: string): void {
  const reading = beginReading<CallbackSummaryWithLogResponse>({
    read: () => ask('GET', `/callbacks/${encodeURIComponent(id)}`),
    standing: standingOf,
    mayChange: (callback) => !isOver(callback),
  })
  start(() => <CallbackPage reading={reading} />)
}
