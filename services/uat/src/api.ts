import { renderDriverFault } from '@despatch/contracts/driver-records/problems'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { uatOpenApi } from '@despatch/contracts/uat/openapi'
import { uatBytesMax, uatPrefix } from '@despatch/contracts/uat/operations'
import { renderUatProblem } from '@despatch/contracts/uat/problems'
import { type Api, type ApiOptions, createApi } from '@despatch/http/api'
import { type HealthCheck, registerHealth } from '@despatch/http/health'
import type { ListenOptions } from '@despatch/http/listen-options'
import type { Db } from '@despatch/store/database'
import { getPrintOutcome } from './operations/get-print-outcome.ts'
import { listScenarios } from './operations/list-scenarios.ts'
import { type ReceiveCallbackContext, receiveCallback } from './operations/receive-callback.ts'

type UatContext = ReceiveCallbackContext &
  Pick<ApiOptions, 'log' | 'metrics'> & {
    listen?: ListenOptions
    db: Db
    ready(): Promise<HealthCheck[]>
  }

/**
 * Creates the API of the test environment itself. It requires no authentication, because it reveals nothing about
 * anyone.
 */
export async function createUatApi(context: UatContext): Promise<Api> {
  const { log, metrics, ready, listen, ...effects } = context
  const api = await createApi({
    ...listen,
    name: 'uat',
    prefix: uatPrefix,
    log,
    metrics,
    bodyBytesMax: uatBytesMax,
    faultsOf: fieldFaults,
    renderProblem: renderUatProblem,
    renderFault: renderDriverFault,
    openapi: {
      ...uatOpenApi,
      title: 'Despatch test environment',
      description:
        'List requests with a predefined outcome in the test environment. Receive callbacks and fail them on purpose.',
      version: interfaceVersions.uat,
    },
  })
  registerHealth(api, { ready, metrics })
  listScenarios(api)
  getPrintOutcome(api, effects)
  receiveCallback(api, effects)
  return api
}
