import { getVehicle as operation } from '@despatch/contracts/vehicle-enquiry/operations'
import { renderVehicle } from '@despatch/contracts/vehicle-enquiry/vehicle-response'
import { Problem } from '@despatch/domain/problem'
import type { VehicleRecord } from '@despatch/domain/vehicle/vehicle-record'
import type { Api } from '@despatch/http/api'
import { describeEnquiry } from '@despatch/http/audited-enquiry'
import type { FindVehicle } from '@despatch/store/enquiry/vehicle-records'
import type { VehicleOutcome, VehicleScenario } from '@despatch/uat-scenarios/vehicle-scenarios'

export type GetVehicleContext = {
  findVehicle: FindVehicle
  /** Returns the test environment's scenario for a number. It takes precedence over the records. */
  findScenario?: (registrationNumber: string) => VehicleScenario | undefined
  hashNumber: (registrationNumber: string) => Buffer
  now: () => Date
}

/** POST /vehicles: returns the record of the vehicle with this registration number, in upper or lower case. */
export function getVehicle(api: Api, context: GetVehicleContext): void {
  const { findVehicle, findScenario, hashNumber, now } = context
  api.route({
    ...operation,
    handler: async (request) => {
      const registrationNumber = request.body.registrationNumber.toUpperCase()
      describeEnquiry(request, { numberHash: hashNumber(registrationNumber) })

      const scenario = findScenario?.(registrationNumber)
      const record = scenario
        ? playOut(scenario.outcome, now())
        : await findVehicle(registrationNumber)
      if (!record) throw new Problem('vehicle-not-found', 'Record for vehicle not found')
      return renderVehicle(record)
    },
  })
}

function playOut(outcome: VehicleOutcome, now: Date): VehicleRecord {
  switch (outcome.kind) {
    case 'record':
      return outcome.record(now)
    case 'problem':
      throw new Problem(outcome.problem, outcome.detail)
    case 'fault':
      throw new Error('A scenario of the test environment requests a fault')
  }
}
