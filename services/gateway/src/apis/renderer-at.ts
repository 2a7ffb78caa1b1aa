import { driverFindPrefix } from '@despatch/contracts/driver-find/operations'
import { renderDriverFault, renderDriverProblem } from '@despatch/contracts/driver-records/problems'
import { fullDriverEnquiryPrefix } from '@despatch/contracts/full-driver-enquiry/operations'
import { renderFullDriverProblem } from '@despatch/contracts/full-driver-enquiry/problems'
import { renderPrintFault, renderPrintProblem } from '@despatch/contracts/print-request/problems'
import { thirdpartyAccessPrefix } from '@despatch/contracts/thirdparty-access/operations'
import {
  renderAccessFault,
  renderAccessProblem,
} from '@despatch/contracts/thirdparty-access/problems'
import { uatPrefix } from '@despatch/contracts/uat/operations'
import { renderUatProblem } from '@despatch/contracts/uat/problems'
import { vehicleEnquiryPrefix } from '@despatch/contracts/vehicle-enquiry/operations'
import {
  renderVehicleFault,
  renderVehicleProblem,
} from '@despatch/contracts/vehicle-enquiry/problems'
import type { ErrorRenderer } from '@despatch/http/error-handler'

/** How each API writes errors, by its prefix. */
const renderers: Readonly<Record<string, ErrorRenderer>> = {
  [driverFindPrefix]: { renderProblem: renderDriverProblem, renderFault: renderDriverFault },
  [fullDriverEnquiryPrefix]: {
    renderProblem: renderFullDriverProblem,
    renderFault: renderDriverFault,
  },
  [thirdpartyAccessPrefix]: { renderProblem: renderAccessProblem, renderFault: renderAccessFault },
  [uatPrefix]: { renderProblem: renderUatProblem, renderFault: renderDriverFault },
  [vehicleEnquiryPrefix]: { renderProblem: renderVehicleProblem, renderFault: renderVehicleFault },
}

/** The print interfaces, and addresses that no service has. */
const others: ErrorRenderer = { renderProblem: renderPrintProblem, renderFault: renderPrintFault }

/** Returns how the API at a URL writes errors. */
export function rendererAt(url: string): ErrorRenderer {
  const prefix = /^\/[^/?]*/.exec(url)?.[0] ?? ''
  return Object.hasOwn(renderers, prefix) ? renderers[prefix]! : others
}
