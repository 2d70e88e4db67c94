// A candidate of upstream's own elector (client-go), which the tests let contend with ours on one Lease. It says on
// stdout when it begins and when it ceases to lead, in microseconds of the wall clock. SIGTERM: work ends, then the
// Lease is released.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func say(word string) { fmt.Println(time.Now().UnixMicro(), word) }

func main() {
	kubeconfig := flag.String("kubeconfig", "", "")
	name := flag.String("election", "", "name of the Lease, in the namespace default")
	id := flag.String("id", "", "")
	ttl := flag.Duration("ttl", 10*time.Second, "")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		panic(err)
	}
	leading, stop := context.WithCancel(context.Background())
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  meta.ObjectMeta{Namespace: "default", Name: *name},
		Client:     kubernetes.NewForConfigOrDie(config).CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: *id},
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	go func() {
		<-asked
		say("ceases") // nothing is done any more when others may begin
		stop()
	}()
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: *ttl, RenewDeadline: *ttl * 6 / 10, RetryPeriod: *ttl / 8, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(reign context.Context) { say("leads"); <-reign.Done(); say("ceases") },
			OnStoppedLeading: func() {},
		},
	})
}
