// Limits how many uploads a process reads at once, because each holds part or all of its body in memory. A
// limit per workspace keeps one customer from taking every place. The same for downloads, because each has a connection
// to the object store for as long as its client reads.
import type { WorkspaceId } from '../../shared/ids.ts'
import { places } from './places.ts'

export interface PlaceLimits {
  readonly perWorkspace: number
  readonly all: number
}

export const uploadPlaces = ({ perWorkspace, all }: PlaceLimits) =>
  places<WorkspaceId>({
    ...{ perOwner: perWorkspace, all },
    words: {
      perOwner: `${perWorkspace} uploads of this workspace are on their way; wait until one is over`,
      all: 'this process takes no more uploads now; try again shortly',
    },
  })

export const downloadPlaces = ({ perWorkspace, all }: PlaceLimits) =>
  places<WorkspaceId>({
    ...{ perOwner: perWorkspace, all },
    words: {
      perOwner: `${perWorkspace} downloads of this workspace are on their way; wait until one is over`,
      all: 'this process takes no more downloads now; try again shortly',
    },
  })

export type EnterDownload = ReturnType<typeof downloadPlaces>
