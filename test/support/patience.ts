/**
 * How long a test waits for what must happen, in ms. Only a failing test waits this long, so there is time enough for
 * a machine that runs at a fifth of its speed.
 */
export const PATIENCE_MS = 90_000
