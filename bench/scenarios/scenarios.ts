import { event } from './event.ts'
import { ringing } from './ringing.ts'
import type { Scenario, ScenarioName } from './scenario.ts'

export const scenarios: Readonly<Record<ScenarioName, Scenario>> = { ringing, event }
