import { Unbuilt } from './unbuilt.tsx'

export const Page = () => <Unbuilt title="Members" />
