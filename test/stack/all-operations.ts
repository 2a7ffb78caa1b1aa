import * as bulkActions from '@despatch/contracts/administration/bulk-action-operations'
import * as administrationCallbacks from '@despatch/contracts/administration/callback-operations'
import * as credentials from '@despatch/contracts/administration/credential-operations'
import * as letters from '@despatch/contracts/administration/letter-operations'
import * as administration from '@despatch/contracts/administration/operations'
import * as parked from '@despatch/contracts/administration/parked-operations'
import * as printJobs from '@despatch/contracts/administration/print-job-operations'
import * as printRuns from '@despatch/contracts/administration/print-run-operations'
import * as providers from '@despatch/contracts/administration/provider-operations'
import * as queues from '@despatch/contracts/administration/queue-operations'
import * as recordSets from '@despatch/contracts/administration/record-set-operations'
import * as reprints from '@despatch/contracts/administration/reprint-operations'
import * as sessions from '@despatch/contracts/administration/session-operations'
import * as templates from '@despatch/contracts/administration/template-operations'
import * as volumes from '@despatch/contracts/administration/volume-operations'
import * as driverFind from '@despatch/contracts/driver-find/operations'
import * as driverSources from '@despatch/contracts/driver-sources/operations'
import * as fullDriverEnquiry from '@despatch/contracts/full-driver-enquiry/operations'
import * as fulfilment from '@despatch/contracts/print-fulfilment/operations'
import * as production from '@despatch/contracts/print-fulfilment/production-operations'
import * as sites from '@despatch/contracts/print-fulfilment/site-operations'
import * as callbacks from '@despatch/contracts/print-request/callback-operations'
import * as printRequest from '@despatch/contracts/print-request/operations'
import * as sendControl from '@despatch/contracts/print-request/send-control-operations'
import * as access from '@despatch/contracts/thirdparty-access/operations'
import * as uat from '@despatch/contracts/uat/operations'
import * as vehicleEnquiry from '@despatch/contracts/vehicle-enquiry/operations'
import type { ZodType } from 'zod'

/** An operation as its contract describes it. */
export type Route = {
  method: string
  url: string
  schema: { operationId: string; response: Readonly<Record<number, ZodType | object>> }
}

/** An operation with the path prefix of its API. Two APIs may have operations with the same id. */
export type ApiOperation = { api: string; id: string; route: Route }

/** Every operation of every API. */
export const allOperations: readonly ApiOperation[] = [
  ...[
    administration,
    bulkActions,
    administrationCallbacks,
    credentials,
    letters,
    parked,
    printJobs,
    printRuns,
    reprints,
  ],
  ...[providers, queues, recordSets, sessions, templates, volumes],
  ...[fulfilment, production, sites],
  ...[printRequest, callbacks, sendControl],
  ...[access, vehicleEnquiry, fullDriverEnquiry, driverFind, driverSources, uat],
].flatMap((contract) => Object.values<unknown>(contract).filter(isRoute).map(toOperation))

function toOperation(route: Route): ApiOperation {
  const [, api = ''] = route.url.split('/')
  return { api, id: route.schema.operationId, route }
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'url' in value
}
