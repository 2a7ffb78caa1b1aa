import { createApiKeyAuthenticator } from '@despatch/access/authenticate-api-key'
import { fieldFaults } from '@despatch/contracts/field-faults'
import { interfaceVersions } from '@despatch/contracts/interface-versions'
import { vehicleEnquiryOpenApi } from '@despatch/contracts/vehicle-enquiry/openapi'
import {
  vehicleEnquiryBytesMax,
  vehicleEnquiryPrefix,
  vehicleEnquirySecuritySchemes,
} from '@despatch/contracts/vehicle-enquiry/operations'
import {
  renderVehicleFault,
  renderVehicleProblem,
} from '@despatch/contracts/vehicle-enquiry/problems'
import type { EnquiryConfig } from '@despatch/enquiry/config'
import { openEnquiryService } from '@despatch/enquiry/enquiry-service'
import type { Service } from '@despatch/http/service'
import type { Logger } from '@despatch/telemetry/logger'
import { vehicleScenario } from '@despatch/uat-scenarios/vehicle-scenarios'
import { createVehicleLookup, getVehicle } from './operations/get-vehicle.ts'

export function createVehicleEnquiry(
  config: EnquiryConfig,
  { log, now = () => new Date() }: { log: Logger; now?: () => Date },
): Promise<Service> {
  return openEnquiryService(config, {
    name: 'vehicle-enquiry',
    log,
    now,
    createAuthenticator: createApiKeyAuthenticator,
    api: {
      prefix: vehicleEnquiryPrefix,
      bodyBytesMax: vehicleEnquiryBytesMax,
      faultsOf: fieldFaults,
      renderProblem: renderVehicleProblem,
      renderFault: renderVehicleFault,
      openapi: {
        ...vehicleEnquiryOpenApi,
        title: 'Despatch vehicle enquiry service',
        description: 'Get the details of one vehicle by registration number.',
        version: interfaceVersions['vehicle-enquiry'],
        securitySchemes: vehicleEnquirySecuritySchemes,
      },
    },
    prepare: async ({ database: { pool }, hashNumber, isTestEnvironment }) => {
      const findVehicle = createVehicleLookup(pool)
      const predefined = isTestEnvironment && { findScenario: vehicleScenario }
      return (api) => getVehicle(api, { findVehicle, ...predefined, hashNumber, now })
    },
  })
}
