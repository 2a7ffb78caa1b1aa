import {
  environmentSettings,
  guidesSettings,
  listenSettings,
  loggingSettings,
  stopSettings,
} from '@despatch/config/shared-settings'
import { z } from 'zod'

export type Route = { prefix: string; target: string }

const routePattern = /^(?<prefix>\/[a-z-]+)=(?<target>https?:\/\/[^/\s]+)$/

export const gatewayConfig = z.object({
  ...listenSettings,
  ...stopSettings,
  ...loggingSettings,
  ...environmentSettings,
  ...guidesSettings,
  DESPATCH_ROUTES: z
    .string()
    .transform((text) => text.split(/\s+/).filter(Boolean))
    .refine(
      (routes) => routes.length > 0 && routes.every((route) => routePattern.test(route)),
      'must be entries such as /prefix=http://host:port, separated by spaces',
    )
    .transform((routes): Route[] =>
      routes.map((route) => routePattern.exec(route)!.groups as Route),
    )
    .describe(
      'service for each path prefix: /prefix=http://host:port, separated by spaces; /uat is used only if DESPATCH_ENVIRONMENT=uat',
    ),
})
export type GatewayConfig = z.output<typeof gatewayConfig>

/** Returns the routes of this environment. The service behind /uat runs in the test environment only. */
export function routesOf({
  DESPATCH_ROUTES: routes,
  DESPATCH_ENVIRONMENT,
}: GatewayConfig): Route[] {
  return routes.filter(({ prefix }) => prefix !== '/uat' || DESPATCH_ENVIRONMENT === 'uat')
}
