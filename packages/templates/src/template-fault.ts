/** What is wrong with a template or with the values of a letter. It never contains a value. */
export type TemplateFault = {
  /** A file of the template, such as `letter.typ`, or the name of a field. */
  place: string
  /** From 1. Absent if the fault is not in one line. */
  line?: number
  message: string
}

export function renderFault({ place, line, message }: TemplateFault): string {
  return `${place}${line === undefined ? '' : `:${line}`} ${message}`
}
