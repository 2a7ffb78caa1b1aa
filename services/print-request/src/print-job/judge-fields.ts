import type { PrintJobRequest } from '@despatch/contracts/print-request/print-job-request'
import type { FieldFault } from '@despatch/domain/problem'
import type { Fields } from '@despatch/templates/read-fields'
import type { TemplateFault } from '@despatch/templates/template-fault'
import { valuesOfParams } from '@despatch/templates/values-of-params'

type Given = Pick<PrintJobRequest, 'customParams' | 'fileParams'>

/**
 * Checks that the custom parameters are the fields of a template: each that it requires, none that it does not have, and
 * each of its kind. Adds a fault for each violation. No value is a file.
 */
export function judgeFields(
  { customParams = [], fileParams = [] }: Given,
  { template, fields }: { template: string; fields: Fields },
  faults: FieldFault[],
): void {
  if (fileParams.length > 0) {
    const detail = `fileParams must be left out: the letter is made from template ${template}`
    faults.push({ field: 'fileParams', code: 'Null', detail })
  }
  const { values, faults: ofKinds } = valuesOfParams(customParams, fields.group)
  const misread = new Set(ofKinds.map(({ place }) => place))
  // a value that is not of its kind is missing in `values`
  const ofSchema = fields.check(values).filter(({ place }) => !misread.has(place))
  for (const fault of [...ofKinds, ...ofSchema]) faults.push(faultOf(fault, customParams, template))
}

function faultOf(
  { place, message }: TemplateFault,
  customParams: NonNullable<Given['customParams']>,
  template: string,
): FieldFault {
  const key = place.split('/')[0]!
  const index = customParams.findIndex((param) => param.key === key)
  if (index === -1) {
    const detail = `customParams must have the key ${key}: template ${template} has this field`
    return { field: 'customParams', code: 'NotNull', detail }
  }
  const field = `customParams[${index}].value`
  return { field, code: 'Invalid', detail: `${field}: ${place} ${message}` }
}
