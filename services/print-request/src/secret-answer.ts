/** Forbids caches between the service and the consumer to store a response that shows a secret. */
export function forbidKeeping<Reply extends { header(name: string, value: string): unknown }>(
  reply: Reply,
): Reply {
  reply.header('cache-control', 'no-store')
  return reply
}
