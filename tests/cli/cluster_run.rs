//! `labdoc cluster-run` without a cluster: what is said before anything is asked. The runs themselves
//! are in tests/cluster.

use crate::cluster::says;
use crate::support::World;

const PAGE: &str = "# A\n\n```sh {#a}\ntouch ran\n```\n";

#[test]
fn without_a_cluster_there_is_no_run() {
    let world = World::page(PAGE);
    let said = says(&world, "cluster-run --image lab/labdoc:1", 2);
    assert!(said.starts_with("error: cluster-run needs a cluster: "), "{said}");
    assert!(said.contains("labdoc trust CONTEXT"), "{said}");
    assert!(!world.exists("content/ran"));
}

#[test]
fn what_is_wrong_with_the_pages_is_said_first() {
    let world = World::page("# A\n\n```sh {#a}\ntrue\n```\n\n```sh {#a}\ntrue\n```\n");
    let said = says(&world, "cluster-run --image lab/labdoc:1 --apply", 1);
    assert!(said.contains("content/a.md:7:"), "{said}");
    assert!(said.contains("nothing was submitted"), "{said}");
}

#[test]
fn a_page_that_is_to_be_recorded_needs_its_bundle() {
    let world = World::page(PAGE);
    let said = says(&world, "cluster-run --image lab/labdoc:1 --apply --record", 2);
    assert!(said.contains("--record: content/a.md has no bundle yet"), "{said}");
    let said = says(&world, "cluster-run --image lab/labdoc:1 --report junit=a.xml", 2);
    assert!(said.contains("--apply"), "{said}");
}

#[test]
fn what_pods_call_is_not_for_people() {
    let world = World::page(PAGE);
    assert!(!says(&world, "--help", 0).contains("cluster-shard"));
    let pod = "cluster-shard --run 1 --namespace a --content none --digest sha256:0 --work work";
    let said = says(&world, &format!("{pod} --shard 0/1"), 2);
    assert!(said.contains("the content in none is not the one of this run"), "{said}");
    let said = says(&world, &format!("{pod} --shard 1/1"), 2);
    assert!(said.contains("from 0/N to N-1/N"), "{said}");
    assert!(!world.exists("content/ran"));
}
