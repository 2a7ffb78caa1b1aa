import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export type CollectedSpan = {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
  /** The ids of the spans that it links to. */
  links: string[]
  facts: Record<string, unknown>
}

export type TraceCollector = AsyncDisposable & {
  url: string
  spans: readonly CollectedSpan[]
  /** Everything received, unchanged. */
  everything(): string
}

type Attribute = { key: string; value: Record<string, unknown> }
type Sent = {
  resourceSpans: {
    resource: { attributes: Attribute[] }
    scopeSpans: { spans: SentSpan[] }[]
  }[]
}
type SentSpan = Omit<CollectedSpan, 'service' | 'links' | 'facts'> & {
  attributes: Attribute[]
  links?: { spanId: string }[]
}

/** Accepts traces by OTLP over HTTP in JSON, as a collector does. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    if (request.url === '/v1/traces') spans.push(...readSpans(JSON.parse(body)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    everything: () => bodies.join('\n'),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function readSpans({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(readAttributes(resource.attributes)['service.name'])
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(service, span)))
  })
}

function readSpan(service: string, span: SentSpan): CollectedSpan {
  const { name, traceId, spanId, parentSpanId = '', attributes, links = [] } = span
  return {
    service,
    name,
    traceId,
    spanId,
    parentSpanId,
    links: links.map((link) => link.spanId),
    facts: readAttributes(attributes),
  }
}

function readAttributes(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
