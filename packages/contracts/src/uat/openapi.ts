import { printJobStatuses } from '@despatch/domain/print-job/status'
import { z } from 'zod'
import * as problems from '../driver-records/problems.ts'
import { exampleValues } from '../example-values.ts'
import { shapesOf } from '../shapes.ts'
import * as operations from './operations.ts'
import * as scenario from './scenario.ts'

export const uatOpenApi = {
  examples: {
    values: exampleValues,
    problems: { 404: { getPrintOutcome: 'document-not-found' } },
  },
  tags: { 'test environment': 'Requests with a predefined outcome, and a receiver of callbacks' },
  shapes: {
    ...shapesOf(problems, operations, scenario),
    DriverError: problems.driverErrorsSchema.shape.errors.element,
    PrintJobStatus: z.enum(printJobStatuses),
    ReceiverErrors: operations.receiveCallback.schema.response[400],
    ScenarioApi: z.enum(scenario.scenarioApis),
    Scenarios: operations.listScenarios.schema.response[200],
    ScenarioRequest: scenario.scenarioSchema.shape.request,
    ScenarioExpectation: scenario.scenarioSchema.shape.expects,
  },
} as const
