-- outside a transaction
-- oldest version: 0.1.0

alter table whereabouts validate constraint whereabouts_announce_at_bounded;
alter table api_heartbeats validate constraint api_heartbeats_started_at_bounded;
alter table api_heartbeats validate constraint api_heartbeats_beat_at_bounded;
alter table stopped_sweeps validate constraint stopped_sweeps_stopped_at_bounded;
alter table stopped_sweeps validate constraint stopped_sweeps_allowed_until_bounded;
