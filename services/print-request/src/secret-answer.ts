/** Whatever stands between us and the consumer must not keep an answer that shows a secret. */
export function forbidKeeping<Reply extends { header(name: string, value: string): unknown }>(
  reply: Reply,
): Reply {
  reply.header('cache-control', 'no-store')
  return reply
}
