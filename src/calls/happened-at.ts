/**
 * When it happened, as the provider tells. It names whole seconds, so what is told at once happened now; what it tells of
 * the future shows only that its clock is ahead.
 */
export const happenedAt = (told: Date, at: Date): Date => (at.getTime() - told.getTime() < 1_000 ? at : told)
