/** The part that every callback has: the id, time and type of its data. */
type CallbackMessage = {
  /** Identifies this message, not the print job. The same in every attempt. */
  messageId: string
  type: string
  at: Date
  data: Record<string, unknown>
  correlationId: string
}

export const messageSource = 'despatch:print:fulfilment'

/** Returns the body of a callback: a JSON envelope similar to CloudEvents, as UTF-8 bytes. */
export function renderMessage(message: CallbackMessage): Uint8Array {
  const envelope = {
    specVersion: '1',
    type: message.type,
    source: messageSource,
    id: message.messageId,
    time: message.at.toISOString(),
    dataContentType: 'application/json',
    data: message.data,
    metadata: { correlationId: message.correlationId },
  }
  return new TextEncoder().encode(JSON.stringify(envelope))
}

/** Returns the time in whole seconds with a Z, because consumers refuse fractions and offsets. */
export function wholeSeconds(at: Date): string {
  return `${at.toISOString().slice(0, 19)}Z`
}
