/** Which projects a published delivery holds as they stand on record. */
export interface DeliveredBook {
  /** Ids of projects that were handed over and that nothing new is known of since: what the latest of their deliveries shows is all there is. */
  deliveredProjects(): Promise<ReadonlySet<string>>;
}
