import type { Scenario } from '@despatch/contracts/uat/scenario'
import type { DriverScenario } from './driver-scenario.ts'
import { driverScenarios } from './driver-scenarios.ts'
import { sourceDrivers } from './drivers/sources.ts'
import {
  type FindRefusal,
  type FindScenario,
  findRefusals,
  findScenarios,
} from './find-scenarios.ts'
import { partialAcceptances, partialResponseStatus } from './partial-responses.ts'
import { type CommentFacts, type PrintScenario, printScenarios } from './print-scenarios.ts'
import { type VehicleScenario, vehicleScenarios } from './vehicle-scenarios.ts'

/** The print job in the examples of comments. */
export const exampleJob: CommentFacts = {
  fileId: 'scan',
  pagesMax: 100,
  uploadBytesMax: 10 * 1024 * 1024,
}

const findPath = '/driver-find/v1/drivers/find'
const retrievePath = '/full-driver-enquiry/v1/driving-licences/retrieve'

/** Returns every scenario of every API as a request with its outcome. */
export function listScenarios(): Scenario[] {
  const sourceNumbers = new Set(sourceDrivers.map((each) => each.drivingLicenceNumber))
  return [
    ...vehicleScenarios.map(listVehicle),
    ...driverScenarios
      .filter(({ drivingLicenceNumber }) => !sourceNumbers.has(drivingLicenceNumber))
      .map(listDriver),
    ...sourceDrivers.flatMap(listPartialResponses),
    ...findScenarios.map(listFind),
    ...findRefusals.map(listFindRefusal),
    ...printScenarios.map(listPrint),
  ]
}

function listVehicle({ registrationNumber, title, status }: VehicleScenario): Scenario {
  const path = '/vehicle-enquiry/v1/vehicles'
  return {
    api: 'vehicle-enquiry',
    title,
    predefined: registrationNumber,
    request: { method: 'POST', path, body: { registrationNumber } },
    expects: { status },
  }
}

function listDriver({ drivingLicenceNumber, title, status, outcome }: DriverScenario): Scenario {
  const options = outcome.kind === 'record' && { includeCPC: true, includeTacho: true }
  return {
    api: 'full-driver-enquiry',
    title,
    predefined: drivingLicenceNumber,
    request: { method: 'POST', path: retrievePath, body: { drivingLicenceNumber, ...options } },
    expects: { status },
  }
}

/** Returns one request for each value of acceptPartialResponse. */
function listPartialResponses({
  drivingLicenceNumber,
  title,
  outcome,
}: DriverScenario): Scenario[] {
  if (outcome.kind !== 'record') return []
  return partialAcceptances.map((acceptPartialResponse) => ({
    api: 'full-driver-enquiry',
    title,
    predefined: drivingLicenceNumber,
    request: {
      method: 'POST',
      path: retrievePath,
      body: {
        drivingLicenceNumber,
        includeCPC: true,
        includeTacho: true,
        acceptPartialResponse,
      },
    },
    expects: { status: partialResponseStatus(outcome, acceptPartialResponse) },
  }))
}

function listFind(scenario: FindScenario): Scenario {
  const { title, criteria, options, limit, offset, finds, totalCount } = scenario
  const headers = {
    ...(limit !== undefined && { limit: String(limit) }),
    ...(offset !== undefined && { offset: String(offset) }),
  }
  return {
    api: 'driver-find',
    title,
    request: {
      method: 'POST',
      path: findPath,
      ...(Object.keys(headers).length > 0 && { headers }),
      body: { criteria, ...(options && { options }) },
    },
    expects: { status: 200, results: [...finds], totalCount },
  }
}

function listFindRefusal({ lastName, title, status }: FindRefusal): Scenario {
  const criteria = { lastName, dateOfBirth: '1970-01-01', gender: 'Male' }
  return {
    api: 'driver-find',
    title,
    predefined: lastName,
    request: { method: 'POST', path: findPath, body: { criteria } },
    expects: { status },
  }
}

function listPrint({ recipientName, title, status, comment }: PrintScenario): Scenario {
  const standardParams = {
    jobType: 'LETTER',
    templateReference: 'LETTER',
    recipientName,
    address: { unstructuredAddress: { line1: '1 TEST STREET', postcode: 'SA6 7JL' } },
  }
  return {
    api: 'print-request',
    title,
    predefined: recipientName,
    request: { method: 'POST', path: '/print-request/v1/print/jobs', body: { standardParams } },
    expects: {
      status: 202,
      printJobStatus: status,
      ...(comment && { comment: comment(exampleJob) }),
    },
  }
}
